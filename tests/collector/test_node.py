"""``runai-collect node`` on machines that are made of a folder and of fake programs: what is kept, what is not, how it ends."""

import functools
import json
import os
import resource
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from runai_collect import node, node_plan

from tests.collector.test_pyz import pythons
from tests.collector.test_writer import read

SECRET = "hunter2Horse"
COLLECTOR = Path(__file__).parents[2] / "collector"
XML = "<nvidia_smi_log></nvidia_smi_log>"
FILES = {
    "/proc/driver/nvidia/version": "NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.124.06\n",
    "/proc/driver/nvidia/gpus/0000:1b:00.0/information": "Model: NVIDIA H100\n",
    "/proc/driver/nvidia/gpus/0000:43:00.0/information": "Model: NVIDIA H100\n",
    "/proc/modules": "nvidia 56 1 - Live 0x0\nnouveau 2 0 - Live 0x0\n",
    "/etc/os-release": 'NAME="Ubuntu"\n',
    "/etc/containerd/config.toml": f"""version = 2
[plugins."io.containerd.grpc.v1.cri".containerd]
  default_runtime_name = "nvidia"
[plugins."io.containerd.grpc.v1.cri".registry.configs."registry.corp".auth]
  username = "{SECRET}User"
  password = "{SECRET}"
  # auth = "{SECRET}Old"
[plugins."io.containerd.grpc.v1.cri".registry.mirrors."docker.io"]
  endpoint = ["https://me:{SECRET}@mirror.corp"]
""",
    "/etc/containerd/certs.d/docker.io/hosts.toml": f"""server = "https://docker.io"
[host."https://mirror.corp"]
  capabilities = ["pull", "resolve"]
  client = [["/etc/certs/client.cert", "/etc/certs/client.key"]]
[host."https://mirror.corp".header]
  authorization = "Basic {SECRET}=="
  x-custom = [
    "one {SECRET}",
    "two={SECRET}"
  ]
[host."https://other.corp"]
  skip_verify = true
""",
    "/etc/docker/daemon.json": json.dumps(
        {"default-runtime": "nvidia", "proxies": {"https-proxy": f"http://me:{SECRET}@proxy:3128"}, "HttpHeaders": {"X": SECRET}},
        indent=1,
    ),
    "/var/lib/kubelet/config.yaml": f"""kind: KubeletConfiguration
cgroupDriver: systemd
staticPodURLHeader:
  Whatever:
  - {SECRET}
tlsPrivateKeyFile: /var/lib/kubelet/pki/kubelet.key
""",
    "/var/lib/kubelet/kubeconfig": f"token: {SECRET}\n",
    "/etc/environment": f"PATH=/bin\nDB_PASSWORD={SECRET}\nNO_PROXY=10.0.0.0/8,.corp\n",
    "/etc/systemd/system/containerd.service.d/http-proxy.conf": "[Service]\n"
    f'Environment="HTTPS_PROXY=http://me:{SECRET}@proxy.corp:3128" "API_TOKEN={SECRET}"\n',
    "/var/log/kern.log": "Jan 1 host kernel: NVRM: Xid (PCI:0000:1b:00): 79, GPU has fallen off the bus.\n",
}
DMESG = f"""2026-01-01T00:00:00,0+00:00 usb 1-1: new device
2026-01-01T00:00:01,0+00:00 NVRM: Xid (PCI:0000:1b:00): 79, pid=1, GPU has fallen off the bus.
2026-01-01T00:00:02,0+00:00 Out of memory: Killed process 1 (python) password={SECRET}
2026-01-01T00:00:03,0+00:00 audit: user logged in
"""


class Machine:
    """A folder that stands for the root of a machine, and one of programs that stands for PATH."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root, self.programs, self.folder = folder / "root", folder / "bin", folder
        self.programs.mkdir()
        self.root.mkdir()
        monkeypatch.setenv("PATH", str(self.programs))
        for name in ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.delenv(name, raising=False)

    def write(self, **files: str) -> None:
        for path, text in {**files}.items():
            target = self.root / path.lstrip("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)

    def program(self, name: str, script: str) -> None:
        """A program in Python: `script` runs with `argv`, `say` and `sys`."""
        path = self.programs / name
        head = f"#!{sys.executable} -IS\nimport signal, sys, time\nargv = sys.argv[1:]\nsay = sys.stdout.write\n"
        path.write_text(head + script)
        path.chmod(0o755)

    def run(self, *arguments: str) -> "Result":
        target = self.folder / "b.tgz"
        return Result(node.main(["-o", str(target), "--quiet", *arguments], str(self.root)), target)


class Result:
    """The exit code, the members below the top folder, and the steps by id without "node:"."""

    def __init__(self, code: int, path: Path) -> None:
        self.code = code
        self.path = path if path.exists() else Path(f"{path}.blocked")
        self.members = {name.split("/", 1)[1]: data.decode() for name, data in read(self.path).items()}
        self.manifest: dict[str, Any] = json.loads(self.members["manifest.json"])
        self.steps = {step["id"][5:]: (step["status"], step["message"]) for step in self.manifest["steps"]}
        self.about: dict[str, Any] = json.loads(self.members["bundle.json"])

    def text(self) -> str:
        return "".join(self.members.values())


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(tmp_path, monkeypatch)


@pytest.fixture
def gpu_machine(machine: Machine) -> Machine:
    machine.write(**FILES)
    machine.program("dmesg", f"say({DMESG!r})")
    machine.program("nvidia-smi", f"say({XML!r} if argv == ['-q', '-x'] else 'said ' + ' '.join(argv))")
    machine.program("mokutil", "say('SecureBoot enabled\\n')")
    machine.program("df", "say('Filesystem 1024-blocks\\n'); sys.stderr.write('df: /run: No such file'); sys.exit(1)")
    machine.program("timedatectl", "say('NTPSynchronized=yes\\n') if argv == ['show'] else sys.exit(1)")
    return machine


def test_what_a_gpu_machine_tells(gpu_machine: Machine) -> None:
    result = gpu_machine.run()
    assert result.code == 0
    assert (result.about["scope"], result.about["format"], result.manifest["state"]) == ("node", 1, "complete")
    assert result.about["node"] == os.uname().nodename
    members = result.members
    assert members["node/nvidia-smi.xml"] == XML
    assert members["node/nvidia-smi-topo.txt"] == "said topo -m"
    assert members["node/nvidia-smi-list.txt"] == "said -L"
    assert members["node/nvidia-smi-nvlink.txt"] == "said nvlink -s"
    assert members["node/proc/driver/nvidia/version"] == FILES["/proc/driver/nvidia/version"]
    assert members["node/modules.txt"] == FILES["/proc/modules"]
    assert members["node/secure-boot.txt"] == "SecureBoot enabled\n"
    assert members["node/timedatectl.txt"] == "NTPSynchronized=yes\n"
    assert result.steps["disks.txt"] == ("ok", "exit code 1 df: /run: No such file")
    names = {entry.get("name") for entry in result.manifest["members"]}
    assert "node/proc/driver/nvidia/gpus/0000:43:00.0/information" in names


def test_no_secret_survives_and_nothing_but_the_plans_files_is_read(gpu_machine: Machine) -> None:
    result = gpu_machine.run()
    assert SECRET not in result.text()
    assert not [name for name in result.members if "kubeconfig" in name or name.endswith("environment")]
    rules = {json.loads(line)["rule"] for line in result.members["redactions/0001.jsonl"].splitlines()}
    assert "runtime-credential" in rules


def test_what_is_no_secret_stays(gpu_machine: Machine) -> None:
    members = gpu_machine.run().members
    config = members["node/etc/containerd/config.toml"]
    assert 'default_runtime_name = "nvidia"' in config
    assert '[plugins."io.containerd.grpc.v1.cri".registry.configs."registry.corp".auth]' in config
    hosts = members["node/etc/containerd/certs.d/docker.io/hosts.toml"]
    assert 'client = [["/etc/certs/client.cert", "/etc/certs/client.key"]]' in hosts
    assert "skip_verify = true" in hosts
    assert '"default-runtime": "nvidia"' in members["node/etc/docker/daemon.json"]
    kubelet = members["node/var/lib/kubelet/config.yaml"]
    assert "cgroupDriver: systemd" in kubelet
    assert "tlsPrivateKeyFile: /var/lib/kubelet/pki/kubelet.key" in kubelet


def test_of_the_kernels_log_only_what_concerns_gpus_and_memory_is_kept(gpu_machine: Machine) -> None:
    log = gpu_machine.run().members["node/kernel.log"]
    assert [line.split()[1] for line in log.splitlines()] == ["NVRM:", "Out"]


def test_a_file_of_proxy_variables_that_is_none_takes_no_root(gpu_machine: Machine) -> None:
    (gpu_machine.root / "etc/environment").unlink()
    os.mkfifo(gpu_machine.root / "etc/environment")
    assert gpu_machine.run().steps["proxy.txt"] == ("error", "/etc/environment is no regular file")


def test_proxy_variables_lose_the_user_and_name_their_source(gpu_machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", f"http://me:{SECRET}@proxy.corp:3128")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    assert gpu_machine.run().members["node/proxy.txt"].splitlines() == [
        "the shell: https_proxy=proxy.corp:3128",
        "/etc/environment: NO_PROXY=10.0.0.0/8,.corp",
        "/etc/systemd/system/containerd.service.d/http-proxy.conf: HTTPS_PROXY=proxy.corp:3128",
    ]


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("http://proxy.corp:3128", "http://proxy.corp:3128"),
        ("proxy.corp", "proxy.corp"),
        (f"http://me:{SECRET} x@proxy.corp", "«redacted:proxy»"),
        (f"http://me:{SECRET}'x@proxy.corp", "«redacted:proxy»"),
        (f"http://proxy.corp/?token={SECRET}", "«redacted:proxy»"),
    ],
)
def test_a_proxy_that_is_more_than_an_address_is_hidden(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, value: str, kept: str
) -> None:
    monkeypatch.setenv("https_proxy", value)
    members = machine.run().members
    assert members["node/proxy.txt"] == f"the shell: https_proxy={kept}\n"
    assert ('"rule":"proxy"' in members.get("redactions/0001.jsonl", "")) == (kept == "«redacted:proxy»")


def test_the_log_file_stands_in_for_a_dmesg_that_is_refused(gpu_machine: Machine) -> None:
    gpu_machine.program("dmesg", "sys.stderr.write('dmesg: read kernel buffer failed: Operation not permitted'); sys.exit(1)")
    result = gpu_machine.run()
    assert result.members["node/kernel.log"] == FILES["/var/log/kern.log"]
    (gpu_machine.root / "var/log/kern.log").unlink()
    (gpu_machine.folder / "b.tgz").unlink()
    result = gpu_machine.run()
    assert (result.code, result.steps["kernel.log"][0]) == (1, "forbidden")


@pytest.mark.parametrize(
    ("name", "member", "words"),
    [
        (
            "timedatectl",
            "timedatectl.txt",
            "System has not been booted with systemd as init (PID 1). Can't operate.\nFailed to connect to bus: Host is down",
        ),
        ("mokutil", "secure-boot.txt", "EFI variables are not supported on this system"),
    ],
)
def test_a_program_that_says_it_cannot_work_here_is_no_failure(gpu_machine: Machine, name: str, member: str, words: str) -> None:
    gpu_machine.program(name, f"sys.stderr.write({words!r}); sys.exit(1)")
    result = gpu_machine.run()
    assert (result.code, result.steps[member]) == (0, ("skipped", words.replace("\n", " ")))


def test_an_nvidia_smi_that_cannot_work_is_one_and_its_words_are_told_to_the_end_on_one_line(
    gpu_machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    words = "nvidia-smi:\nerror while loading shared libraries: libnvidia-ml.so.1"
    gpu_machine.program("nvidia-smi", f"sys.stderr.write({words!r}); sys.exit(127)")
    target = gpu_machine.folder / "b.tgz"
    code = node.main(["-o", str(target)], str(gpu_machine.root))
    assert (code, Result(code, target).steps["nvidia-smi.xml"]) == (1, ("error", words.replace("\n", " ")))
    (row,) = [row for row in capsys.readouterr().out.splitlines() if row.startswith("  failed: 5 answers of this machine: ")]
    assert row.endswith(f" ({' '.join(words.split())})")


def test_the_refusal_of_one_way_is_told_when_no_other_has_an_answer(gpu_machine: Machine) -> None:
    gpu_machine.program("dmesg", "sys.exit('dmesg: read kernel buffer failed: Operation not permitted')")
    gpu_machine.program("journalctl", "sys.exit('No journal files were found.')")
    (gpu_machine.root / "var/log/kern.log").unlink()
    assert gpu_machine.run().steps["kernel.log"] == ("forbidden", "dmesg: read kernel buffer failed: Operation not permitted")


@pytest.mark.parametrize(
    "journal",
    [
        "say('-- No entries --\\n'); sys.stderr.write('No journal files were found.\\n')",
        "say('No journal files were found.\\n')",
        "say('-- No entries --\\n'); sys.stderr.write('Hint: You are currently not seeing messages from other users.\\n')",
        "say('-- Logs begin at Thu 2026-01-01 --\\n')",
    ],
)
def test_a_journal_that_shows_nothing_is_not_taken_for_a_log_without_such_lines(
    gpu_machine: Machine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], journal: str
) -> None:
    """As an ordinary user sees it."""
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    gpu_machine.program("dmesg", "sys.exit('dmesg: read kernel buffer failed: Operation not permitted')")
    gpu_machine.program("journalctl", journal)
    gpu_machine.write(**{"/var/log/kern.log": ""})
    result = gpu_machine.run()
    words = "dmesg: read kernel buffer failed: Operation not permitted; run it as root"
    assert (result.code, result.steps["kernel.log"]) == (1, ("forbidden", words))


def test_a_journal_that_only_root_sees_is_refused(gpu_machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    (gpu_machine.programs / "dmesg").unlink()
    (gpu_machine.root / "var/log/kern.log").unlink()
    hint = "Hint: You are currently not seeing messages from other users and the system."
    gpu_machine.program("journalctl", f"say('-- No entries --\\n'); sys.stderr.write({hint!r})")
    assert gpu_machine.run().steps["kernel.log"] == ("forbidden", hint + "; run it as root")


def test_of_a_log_without_such_lines_it_is_said_how_much_was_read(gpu_machine: Machine) -> None:
    gpu_machine.program("dmesg", "say('[1.0] usb\\n' * 1234)")
    assert gpu_machine.run().steps["kernel.log"] == ("empty", "lines read: 1234, none of them of this kind")


def test_a_log_that_stands_in_without_such_lines_hides_no_refusal(gpu_machine: Machine) -> None:
    words = "dmesg: read kernel buffer failed: Operation not permitted"
    gpu_machine.program("dmesg", f"sys.exit({words!r})")
    gpu_machine.write(**{"/var/log/kern.log": "Jan 1 host kernel: usb 1-1: new device\n"})
    assert gpu_machine.run().steps["kernel.log"] == ("empty", f"lines read: 1, none of them of this kind; before: {words}")


def test_an_older_dmesg_without_the_option_is_asked_without(gpu_machine: Machine) -> None:
    gpu_machine.program("dmesg", "sys.exit('usage') if argv else say('[1.0] NVRM: loading\\n')")
    assert gpu_machine.run().members["node/kernel.log"] == "[1.0] NVRM: loading\n"


def test_a_machine_without_anything_says_so(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    target = machine.folder / "b.tgz"
    assert node.main(["-o", str(target)], str(machine.root)) == 0
    said = capsys.readouterr().out
    assert "In it:  0 answers of this machine\n" in said
    assert "nobody to ask: 1 answer of this machine: nvidia-smi.xml (nvidia-smi is not on this machine)\n" in said
    result = Result(0, target)
    assert result.steps["nvidia-smi.xml"] == ("not_found", "nvidia-smi is not on this machine")
    assert result.steps["/proc/version"] == ("empty", "there is no such file")
    assert result.steps["modules.txt"] == ("not_found", "lsmod is not on this machine")
    assert sorted(result.members) == ["README.txt", "bundle.json", "manifest.json"]


def test_the_drivers_container_is_entered_where_the_machine_has_no_nvidia_smi(gpu_machine: Machine) -> None:
    (gpu_machine.programs / "nvidia-smi").unlink()
    gpu_machine.program("chroot", "say('in ' + ' '.join(argv))")
    assert "node/nvidia-smi.txt" not in gpu_machine.run().members
    gpu_machine.write(**{"/run/nvidia/driver/usr/bin/nvidia-smi": "x"})
    (gpu_machine.folder / "b.tgz").unlink()
    result = gpu_machine.run()
    assert result.members["node/nvidia-smi.xml"] == "in /run/nvidia/driver /usr/bin/nvidia-smi -q -x"


@pytest.mark.parametrize("script", ["time.sleep(60)", "signal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(60)"])
def test_a_hanging_nvidia_smi_is_ended_and_costs_no_more_than_itself(
    gpu_machine: Machine, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    monkeypatch.setattr(node_plan, "TIMEOUT", 0.5)
    gpu_machine.program("nvidia-smi", script)
    begin = time.monotonic()
    result = gpu_machine.run()
    assert time.monotonic() - begin < 12
    assert result.code == 1
    assert result.steps["nvidia-smi.xml"] == ("timeout", "nvidia-smi gave no answer in 0 seconds")
    assert result.steps["nvidia-smi.txt"] == ("timeout", "not tried: nvidia-smi gave no answer before")
    assert result.steps["kernel.log"][0] == "ok"


def test_a_driver_that_is_not_loaded_answers_in_its_own_words(gpu_machine: Machine) -> None:
    words = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."
    gpu_machine.program("nvidia-smi", f"say({words!r}); sys.exit(9)")
    result = gpu_machine.run()
    assert result.members["node/nvidia-smi.xml"] == words
    assert result.steps["nvidia-smi.xml"] == ("ok", "exit code 9")


def test_a_program_that_prints_without_end_is_cut(gpu_machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_plan, "OUTPUT", 100_000)
    gpu_machine.program("mokutil", "while True: say('SecureBoot enabled\\n')")
    result = gpu_machine.run()
    assert result.steps["secure-boot.txt"] == ("truncated", "cut: it printed too much")
    assert len(result.members["node/secure-boot.txt"]) <= 100_000


def test_of_a_long_file_the_newest_is_kept(gpu_machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_plan, "FILE", 1000)
    gpu_machine.write(**{"/proc/modules": "".join(f"module{number} 1 0 -\n" for number in range(1000))})
    result = gpu_machine.run()
    assert result.steps["modules.txt"][0] == "truncated"
    assert result.members["node/modules.txt"].endswith("module999 1 0 -\n")


def test_a_pipe_where_a_file_should_be_does_not_hang(machine: Machine) -> None:
    (machine.root / "etc").mkdir()
    os.mkfifo(machine.root / "etc/os-release")
    assert machine.run().steps["/etc/os-release"] == ("error", "/etc/os-release is no regular file")


@pytest.mark.parametrize("part", sorted(node_plan.PARTS))
def test_each_part_can_be_left_out(gpu_machine: Machine, part: str) -> None:
    result = gpu_machine.run("--no-" + part)
    assert result.about["options"] == {"left_out": [part]}
    left_out = {name for name, step in result.steps.items() if step == ("skipped", "--no-" + part)}
    own = {command.member for command in node_plan.COMMANDS if command.part == part} | set(node_plan.FILES[part])
    assert left_out - {"proxy.txt"} == own
    assert result.code == 0


def test_another_user_is_told_what_root_would_add(gpu_machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    for path in [gpu_machine.folder, *gpu_machine.folder.parents][:4] if os.geteuid() == 0 else ():
        path.chmod(path.stat().st_mode | 0o755)
    gpu_machine.folder.chmod(0o777)
    (gpu_machine.root / "etc/containerd/config.toml").chmod(0)
    (gpu_machine.root / "var/lib/kubelet").chmod(0)
    user = os.geteuid()
    os.seteuid(user or 65534)       # root reads everything
    try:
        code = node.main(["-o", str(gpu_machine.folder / "b.tgz"), "--no-gpu", "--no-kernel"], str(gpu_machine.root))
    finally:
        os.seteuid(user)
        (gpu_machine.root / "var/lib/kubelet").chmod(0o700)
    assert code == 1
    result = Result(code, gpu_machine.folder / "b.tgz")
    assert result.about["root"] is False
    assert result.steps["/etc/containerd/config.toml"] == ("forbidden", "/etc/containerd/config.toml: Permission denied")
    assert result.steps["/var/lib/kubelet/config.yaml"] == ("forbidden", "only root may look there")
    said = capsys.readouterr().out
    assert "refused: 2 answers of this machine: /etc/containerd/config.toml, /var/lib/kubelet/config.yaml\n" in said
    assert "  To read all of it takes root.\n" in said
    assert "cluster" not in said.splitlines()[-1]
    assert "nothing was changed on this machine" in said.splitlines()[-1]


def test_what_the_last_scan_finds_blocks_the_bundle(gpu_machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node, "clean_log", lambda text, *_: (text, [], False))
    key = "-----BEGIN RSA PRIVATE KEY-----\n" + "A" * 64 + "\n-----END RSA PRIVATE KEY-----\n"
    gpu_machine.write(**{"/etc/os-release": key})
    result = gpu_machine.run()
    assert (result.code, result.path.name) == (4, "b.tgz.blocked")


def test_nothing_but_the_bundle_is_written(gpu_machine: Machine) -> None:
    def tree() -> dict[str, tuple[int, float]]:
        return {str(path): (path.stat().st_size, path.stat().st_mtime) for path in gpu_machine.root.rglob("*")}

    before = tree()
    result = gpu_machine.run()
    assert tree() == before
    assert sorted(path.name for path in gpu_machine.folder.iterdir()) == ["b.tgz", "bin", "root"]
    assert stat.S_IMODE(result.path.stat().st_mode) == 0o600


def test_a_file_that_exists_is_not_replaced(machine: Machine) -> None:
    (machine.folder / "b.tgz").write_text("mine")
    assert node.main(["-o", str(machine.folder / "b.tgz")], str(machine.root)) == 2
    assert (machine.folder / "b.tgz").read_text() == "mine"


@pytest.mark.parametrize("python", pythons())
def test_it_is_a_command_of_the_program_on_every_python(python: str, gpu_machine: Machine, tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(COLLECTOR / "build_pyz.py"), str(tmp_path / "c.pyz")], check=True)
    command = [python, "-I", "-S", str(tmp_path / "c.pyz"), "node", "-o", str(tmp_path / "b.tgz"), "--no-system", "-q"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    result = Result(0, tmp_path / "b.tgz")
    assert (result.about["scope"], result.members["node/nvidia-smi.xml"]) == ("node", XML)


@pytest.mark.parametrize("python", pythons())
def test_no_shell_is_run_on_any_python(python: str, tmp_path: Path) -> None:
    """Python's platform module asks one for the kind of processor, up to 3.8."""
    code = """if True:
        import os, subprocess, sys
        from runai_collect import node
        def refuse(*arguments, **options):
            raise AssertionError("ran %r" % (arguments,))
        subprocess.Popen.__init__ = os.popen = os.system = refuse
        sys.exit(node.main(["-q", "-o", sys.argv[1], "--no-gpu", "--no-kernel", "--no-runtime", "--no-system"]))"""
    done = subprocess.run([python, "-c", code, str(tmp_path / "b.tgz")], cwd=COLLECTOR, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert Result(0, tmp_path / "b.tgz").about["node"] == os.uname().nodename


def test_the_readme_claims_no_more_than_can_be_known(machine: Machine) -> None:
    text = " ".join(machine.run().members["README.txt"].split())
    assert "What looks like no secret cannot be known as one: look inside before you pass it on." in text


@pytest.mark.parametrize("json_wanted", [False, True])
def test_a_full_disk_is_two_and_says_what_to_do(gpu_machine: Machine, json_wanted: bool) -> None:
    target = gpu_machine.folder / "b.tgz"
    command = [sys.executable, "-m", "runai_collect", "node", "-q", "-o", str(target)] + ["--json"] * json_wanted
    limit = functools.partial(resource.setrlimit, resource.RLIMIT_FSIZE, (4096, 4096))
    done = subprocess.run(command, cwd=COLLECTOR, capture_output=True, text=True, preexec_fn=limit, check=False)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "free space, or name another place with -o" in line
    assert f"what was written stands in {target}.partial" in line
    assert json.loads(done.stdout) == {"error": line.partition(": ")[2], "exit_code": 2} if json_wanted else not done.stdout


def test_a_folder_that_is_not_there_is_two_in_one_line_also_for_scripts(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    assert node.main(["--json", "-q", "-o", str(machine.folder / "none" / "b.tgz")], str(machine.root)) == 2
    said = capsys.readouterr()
    assert said.err.count("\n") == 1
    assert json.loads(said.out)["exit_code"] == 2


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_early_end_closes_the_bundle_and_leaves_no_process(gpu_machine: Machine, number: int, code: int) -> None:
    mark = gpu_machine.folder / "pid"
    gpu_machine.program("nvidia-smi", f"import os\nopen({str(mark)!r}, 'w').write(str(os.getpid()))\ntime.sleep(60)")
    target = gpu_machine.folder / "b.tgz"
    command = [sys.executable, "-m", "runai_collect", "node", "-o", str(target), "-q"]
    process = subprocess.Popen(command, cwd=COLLECTOR, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    until = time.monotonic() + 30
    while not (mark.exists() and mark.read_text()) and time.monotonic() < until:
        time.sleep(0.05)
    process.send_signal(number)
    process.communicate(timeout=30)
    result = Result(process.returncode, target)
    assert (result.code, result.manifest["state"]) == (code, "interrupted")
    assert result.steps["kernel.log"] == ("skipped", "interrupted")
    assert not Path(f"/proc/{mark.read_text()}").exists()
    assert [path.name for path in gpu_machine.folder.glob("b.*")] == ["b.tgz"]
