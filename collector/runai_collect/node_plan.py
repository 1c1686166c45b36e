"""What `runai-collect node` reads of the machine it runs on, as data: programs, files, what of them is kept. No I/O."""

from typing import Dict, NamedTuple, Tuple

# What --no-PART leaves out.
PARTS: Dict[str, str] = {
    "gpu": "nvidia-smi and /proc/driver/nvidia",
    "kernel": "lines of the kernel's log, and its modules",
    "runtime": "settings of the container runtime and the kubelet",
    "system": "release, disks, clock, memory, proxy variables",
}


class Command(NamedTuple):
    """Programs for one member: the first of ``ways`` that prints something. What begins with a slash is a file to read instead.
    Of what is printed the rows that hold the pattern ``rows`` are kept."""

    part: str
    member: str
    ways: Tuple[Tuple[str, ...], ...]
    rows: str = ""


def _smi(member: str, *arguments: str) -> Command:
    # Behind it the root of the GPU Operator's driver container, where the machine itself has no nvidia-smi.
    driver = ("chroot", "/run/nvidia/driver", "/usr/bin/nvidia-smi")
    return Command("gpu", member, (("nvidia-smi",) + arguments, driver + arguments))


_KERNEL_LOGS = (("dmesg", "--time-format", "iso"), ("dmesg", "-T"), ("dmesg",),
                ("journalctl", "--dmesg", "--boot", "--lines=50000", "--no-pager", "--output=short-iso"),
                ("/var/log/kern.log",), ("/var/log/messages",))
_KERNEL_ROWS = (r"NVRM|\bXid\b|nvidia|nouveau|[Ss]ecure ?[Bb]oot|[Oo]ut of memory|oom-kill|oom_reaper|PCIe Bus Error|\bAER\b|"
                r"pcieport .*error")
NO_ANSWER = r"(?m)^(?:-- .*|No journal files.*)$"       # what journalctl says in place of a log, or beside one
_DISKS = ("/", "/var", "/var/lib/containerd", "/var/lib/docker", "/var/lib/containers", "/var/lib/kubelet", "/run")
COMMANDS: Tuple[Command, ...] = (
    _smi("nvidia-smi.xml", "-q", "-x"),
    _smi("nvidia-smi.txt"),
    _smi("nvidia-smi-topo.txt", "topo", "-m"),
    _smi("nvidia-smi-list.txt", "-L"),
    _smi("nvidia-smi-nvlink.txt", "nvlink", "-s"),
    Command("kernel", "kernel.log", _KERNEL_LOGS, _KERNEL_ROWS),
    Command("kernel", "modules.txt", (("lsmod",), ("/proc/modules",))),     # lsmod leaves the kernel's addresses out
    Command("kernel", "secure-boot.txt", (("mokutil", "--sb-state"),)),
    Command("system", "timedatectl.txt", (("timedatectl", "show"), ("timedatectl", "status"))),
    Command("system", "chrony.txt", (("chronyc", "-n", "tracking"),)),
    Command("system", "adjtimex.txt", (("adjtimex", "--print"),)),
    Command("system", "disks.txt", (("df", "-P") + _DISKS,)),
    Command("system", "inodes.txt", (("df", "-P", "-i") + _DISKS,)),
)
FOLDERS = ("/usr/sbin", "/sbin", "/opt/bin", "/usr/lib/wsl/lib", "/usr/local/nvidia/bin")       # looked in behind PATH

# Patterns of shells. Never a folder as a whole: keys and kubeconfigs stand beside these.
FILES: Dict[str, Tuple[str, ...]] = {
    "gpu": ("/proc/driver/nvidia/version", "/proc/driver/nvidia/params", "/proc/driver/nvidia/registry",
            "/proc/driver/nvidia/gpus/*/information", "/proc/driver/nvidia/gpus/*/power"),
    "kernel": ("/proc/version", "/sys/module/nvidia/version"),
    "runtime": ("/etc/containerd/config.toml", "/etc/containerd/conf.d/*.toml", "/etc/containerd/certs.d/*/hosts.toml",
                "/var/lib/rancher/*/agent/etc/containerd/config.toml", "/etc/crio/crio.conf", "/etc/crio/crio.conf.d/*.conf",
                "/etc/docker/daemon.json", "/etc/nvidia-container-runtime/config.toml",
                "/usr/local/nvidia/toolkit/.config/nvidia-container-runtime/config.toml", "/var/lib/kubelet/config.yaml",
                "/etc/kubernetes/kubelet/kubelet-config.json", "/etc/kubernetes/kubelet/config.json"),
    "system": ("/etc/os-release", "/etc/machine-id", "/proc/sys/kernel/random/boot_id", "/proc/uptime", "/proc/loadavg",
               "/proc/meminfo", "/etc/adjtime"),
}
# Of these, and of the shell, only proxy variables are kept, without what stands before the @ in them.
_SERVICES = ("kubelet", "containerd", "docker", "crio", "k3s", "k3s-agent", "rke2-server", "rke2-agent")
PROXY_FILES: Tuple[str, ...] = ("/etc/environment", "/etc/systemd/system.conf.d/*.conf") + tuple([
    pattern % service for service in _SERVICES
    for pattern in ("/etc/systemd/system/%s.service.d/*.conf", "/etc/sysconfig/%s", "/etc/default/%s")])
PROXY_VARIABLE = r"(?i)\b((?:https?|ftp|all|no)_proxy)=(?:[^\s\"']*@)?([^\s\"']*)"
PROXY_VALUE = r"(?:\w+://)?[\w.-]+(?::\d+)?/?"      # what else stands there may be the half of a password, and is hidden
NO_PROXY_VALUE = r"[\w.,:/*\[\]-]*"

TIMEOUT = 15.0                  # seconds of a program
DEADLINE = 180.0                # of all
FILE = 1 << 20                  # bytes of a file, the newest
FILES_MOST = 64                 # of one pattern
OUTPUT = 32 << 20               # bytes that a program may print
