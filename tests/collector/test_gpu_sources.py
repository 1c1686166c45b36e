"""Who tells of a node's GPUs where nvidia-smi does not answer, in which order, and what is kept of it."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from runai_collect import gpu_nodes
from runai_collect.gpu_signs import Candidate, GpuNode
from runai_collect.gpu_sources import read_metrics, read_table
from runai_collect.kubectl import Ran
from runai_collect.lists import Lists, Scope
from runai_collect.plan import KINDS, POD, Options
from runai_collect.steps import Session, list_label

from tests.collector.servers import Answer, ok, serving, status
from tests.collector.test_steps import session_of
from tests.collector.test_writer import read

PAGE = b"""# HELP DCGM_FI_DEV_SM_CLOCK SM clock frequency (in MHz).
# TYPE DCGM_FI_DEV_SM_CLOCK gauge
DCGM_FI_DEV_SM_CLOCK{gpu="0",UUID="GPU-a",modelName="NVIDIA H100",Hostname="h",DCGM_FI_DRIVER_VERSION="570.1",pod="x"} 1410
DCGM_FI_DEV_SM_CLOCK{gpu="1",UUID="GPU-b",modelName="NVIDIA H100",Hostname="h",DCGM_FI_DRIVER_VERSION="570.1",pod=""} 1410
DCGM_FI_DEV_FB_FREE{gpu="0",UUID="GPU-a",modelName="NVIDIA H100",Hostname="h",DCGM_FI_DRIVER_VERSION="570.1",pod="x"} 81000
DCGM_FI_DEV_FB_USED{gpu="0",UUID="GPU-a",modelName="NVIDIA H100",Hostname="h",DCGM_FI_DRIVER_VERSION="570.1",pod="x"} 500
"""
TABLE = """2026-01-01T00:00:00Z time="x" level=info msg="running nvidia-smi"
2026-01-01T00:00:00Z | NVIDIA-SMI 535.1      Driver Version: 535.1       CUDA Version: 12.2     |
2026-01-01T00:00:00Z |   0  NVIDIA A100-SXM4-80GB          On  | 00000000:07:00.0 Off |                    0 |
2026-01-01T00:00:00Z | N/A   31C    P0              68W / 400W |      4MiB / 81920MiB |      0%      Default |
2026-01-01T00:00:00Z |                                         |                      |             Disabled |
"""
LABELS = [("NVIDIA-H100", "")] * 4
REFUSED = b'{"kind":"Status","message":"pods \\"dcgm\\" is forbidden: cannot get resource \\"pods/proxy\\""}'
PAGE_PATH = "/api/v1/namespaces/gpu-operator/pods/dcgm:9400/proxy/metrics"
CHECK_PATH = "/api/v1/namespaces/gpu-operator/pods/validator/log?container=driver-validation&tailLines=9"
DRIVER = Candidate(0, "gpu-operator", "driver", "nvidia-driver-ctr", ("nvidia-smi",))


def gpu_node(**fields: Any) -> GpuNode:
    whole = GpuNode({"Node"}, [], [PAGE_PATH], [CHECK_PATH], {"GFD labels": LABELS})
    return whole._replace(**fields)


def no_exec(namespace: str, pod: str, container: str, argv: tuple[str, ...]) -> Ran:
    return Ran(1, b"", b'Error from server (Forbidden): pods "driver" is forbidden', 0.1, False, False)


class Result:
    """What one run left: the paths that were asked for, the step of each node, the members of node n1."""

    def __init__(self, session: Session, paths: list[str]) -> None:
        session.writer.finish("2026-01-01T00:00:00Z", "complete")
        members = read(Path(session.writer.path))
        self.paths = paths
        self.steps = {step.id: (step.status, step.message) for step in session.writer.steps if step.id.startswith("nvidia-smi:")}
        self.members = {name[len("top/nodes/n1/") :]: data for name, data in members.items() if name.startswith("top/nodes/n1/")}
        self.source = json.loads(self.members["source.json"]) if "source.json" in self.members else {}
        self.others = self.source.get("others", {})


def ask(
    folder: Path, *answers: Answer, nodes: dict[str, GpuNode] | None = None, options: Options | None = None, **fields: Any
) -> Result:
    nodes = nodes or {"n1": gpu_node(**fields)}
    with serving(*(answers or (status(404),))) as server:
        session = session_of(folder, server)
        if options is not None:
            session = Session(session.client, session.writer, options, session.stop, session.progress)
        seen = Lists(session).seen._replace(gpu=nodes)
        gpu_nodes.ask_nodes(session, Scope(True, True, [], ()), seen, no_exec)
        return Result(session, server.paths)


@pytest.fixture(autouse=True)
def all_pods_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu_nodes, "_pods_read", lambda session, scope: True)


def no_program(namespace: str, pod: str, container: str, argv: tuple[str, ...]) -> Ran:
    return Ran(126, b"", b"OCI runtime exec failed: exec failed: no such file", 0.1, False, False)


@pytest.mark.parametrize("run", [no_program, no_exec])
def test_where_the_pods_were_cut_a_pod_without_nvidia_smi_is_no_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Any
) -> None:
    """But a refusal stays one."""
    monkeypatch.setattr(gpu_nodes, "_pods_read", lambda session, scope: False)
    with serving(status(404)) as server:
        session = session_of(tmp_path, server)
        session.skip(list_label(POD, ""), "truncated", "its share of --max-size")
        seen = Lists(session).seen._replace(gpu={"n1": gpu_node(containers=[DRIVER], told={})})
        gpu_nodes.ask_nodes(session, Scope(True, True, [], ()), seen, run)
        found = Result(session, server.paths)
    cut = ("skipped", "not all pods were read: its share of --max-size")
    assert (found.steps["nvidia-smi:n1"] == cut) == (run == no_program)
    assert found.source["attempts"][0]["exit_code"] == (126 if run == no_program else 1)
    assert found.steps["nvidia-smi:n1"][0] == ("skipped" if run == no_program else "forbidden")


def test_where_the_nodes_were_not_read_there_is_a_step_that_says_so(tmp_path: Path) -> None:
    session = session_of(tmp_path)
    session.skip(list_label(KINDS[0], ""), "skipped", "deadline")
    gpu_nodes.ask_nodes(session, Scope(True, True, [], ()), Lists(session).seen, no_exec)
    assert [(step.id, step.status, step.message) for step in session.writer.steps][1:] == [("nvidia-smi", "skipped", "deadline")]


def test_the_exporters_page_is_asked_first_and_kept(tmp_path: Path) -> None:
    result = ask(tmp_path, ok(PAGE))
    assert result.paths == [PAGE_PATH]
    words = "2 GPUs according to the DCGM exporter: NVIDIA H100, driver 570.1"
    assert result.steps["nvidia-smi:n1"] == ("not_found", "no running pod on this node has nvidia-smi; " + words)
    assert result.members["dcgm-metrics.txt"] == b"# GET " + PAGE_PATH.encode() + b"\n" + PAGE
    assert (result.source["told"], result.others) == (words, {})


def test_the_step_says_forbidden_where_exec_was_refused(tmp_path: Path) -> None:
    result = ask(tmp_path, ok(PAGE), containers=[DRIVER])
    found, message = result.steps["nvidia-smi:n1"]
    assert found == "forbidden"
    assert 'pods "driver"' in message
    assert message.endswith("is forbidden; 2 GPUs according to the DCGM exporter: NVIDIA H100, driver 570.1")
    assert (result.source["answered_by"], result.source["sees"]) == (None, "")
    assert result.source["attempts"][0]["status"] == "forbidden"


def test_the_validators_logs_are_read_where_the_page_is_refused(tmp_path: Path) -> None:
    result = ask(tmp_path, status(403, REFUSED), ok(TABLE.encode()))
    assert result.paths == [PAGE_PATH, CHECK_PATH]
    assert result.others["the DCGM exporter"].startswith("forbidden: ")
    assert "pods/proxy" in result.others["the DCGM exporter"]
    assert result.members["validator.log"].decode() == f"# GET {CHECK_PATH}\n{TABLE}"
    assert result.source["told"] == "1 GPU according to the validator's logs: NVIDIA A100-SXM4-80GB, driver 535.1"


def test_labels_tell_where_nobody_else_does(tmp_path: Path) -> None:
    result = ask(tmp_path, pages=[], checks=[])
    assert result.paths == []
    assert result.steps["nvidia-smi:n1"][1].endswith("; 4 GPUs according to GFD labels: NVIDIA-H100")
    assert result.others == dict.fromkeys(("the DCGM exporter", "the validator's logs"), "skipped: no pod of it is on this node")


def test_no_exec_reads_no_page_either_but_the_logs(tmp_path: Path) -> None:
    result = ask(tmp_path, ok(TABLE.encode()), options=Options(exec_=False))
    assert result.paths == [CHECK_PATH]
    assert result.steps["nvidia-smi:n1"] == ("skipped", "--no-exec")
    assert result.others == {"the DCGM exporter": "skipped: --no-exec"}
    assert (result.source["reason"], result.source["told"][:41]) == ("--no-exec", "1 GPU according to the validator's logs: ")


def test_no_exec_and_no_logs_ask_nobody(tmp_path: Path) -> None:
    result = ask(tmp_path, options=Options(exec_=False, logs=False))
    assert (result.paths, result.source["told"]) == ([], "4 GPUs according to GFD labels: NVIDIA-H100")


def test_a_page_of_something_else_tells_nothing(tmp_path: Path) -> None:
    result = ask(tmp_path, ok(b"<html>hello</html>"), ok(TABLE.encode()))
    assert result.others == {"the DCGM exporter": "it tells of no GPU"}
    assert result.source["told"].startswith("1 GPU according to the validator's logs")


def test_a_refused_page_is_not_asked_for_on_the_other_nodes(tmp_path: Path) -> None:
    nodes = {name: gpu_node(checks=[]) for name in ("n1", "n2", "n3")}
    options = Options()._replace(limits=Options().limits._replace(exec_workers=1))
    result = ask(tmp_path, status(403, REFUSED), nodes=nodes, options=options)
    assert result.paths == [PAGE_PATH]


def test_secrets_on_the_page_and_in_the_logs_do_not_survive(tmp_path: Path) -> None:
    secret = "hunter2Horse"
    page = PAGE.replace(b'pod="x"', b'pod="x",url="http://me:' + secret.encode() + b'@host/"')
    result = ask(tmp_path, ok(page.replace(b"UUID", b"ID") + b"password=" + secret.encode()), ok(TABLE.encode()))
    assert secret.encode() not in b"".join(result.members.values())


@pytest.mark.parametrize("member", ["nodes/*", "nodes/n1", "nodes/n1/*"])
def test_a_node_that_is_left_out_is_not_asked(tmp_path: Path, member: str) -> None:
    result = ask(tmp_path, options=Options(exclude=("path:" + member,)))
    assert (result.paths, result.members) == ([], {})
    assert result.steps["nvidia-smi:n1"] == ("skipped", "left out on request: --exclude " + member)


def test_a_file_that_is_left_out_is_not_read(tmp_path: Path) -> None:
    result = ask(tmp_path, options=Options(exclude=("path:nodes/*/dcgm-metrics.txt", "path:nodes/*/validator.log")))
    assert (result.paths, sorted(result.members)) == ([], ["source.json"])


def test_mig_parts_on_a_page_are_one_gpu() -> None:
    line = 'DCGM_FI_DEV_FB_FREE{gpu="0",UUID="GPU-a",modelName="NVIDIA A100",GPU_I_ID="%d",DCGM_FI_DRIVER_VERSION="520.1"} 4800\n'
    assert read_metrics("".join(line % part for part in range(7))) == [("NVIDIA A100", "520.1")]


def test_the_last_table_of_a_log_counts() -> None:
    newer = TABLE.replace("535.1 ", "570.9 ")
    assert read_table(TABLE + newer) == [("NVIDIA A100-SXM4-80GB", "570.9")]
    assert read_table("no table at all\n") == []
    assert read_table("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.") == []


@pytest.mark.parametrize("text", ["| 0 x " + " " * 2_000_000, "| 0 a On |" * 200_000, "DCGM_FI_DEV_X{" + "a" * 2_000_000 + "}"])
def test_a_hostile_text_takes_no_time(text: str) -> None:
    begin = time.process_time()
    assert len(read_metrics(text) + read_table(text)) <= 1
    assert time.process_time() - begin < 2


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("name", "gpus"),
    [("thamada-gls-A40x10", 10), ("thamada-gls-A100SXMx4", 4), ("nvidia_gpu_exporter-win-geforce-rtx-2080-super-591.86-idle", 1)],
)
def test_real_tables(corpus: Path, name: str, gpus: int) -> None:
    told = read_table((corpus / "nvidia-smi-table" / f"{name}.txt").read_text(encoding="utf-8", errors="replace"))
    assert len(told) == gpus
    assert all("|" not in model and model.startswith(("NVIDIA", "GeForce")) and driver[:3].isdigit() for model, driver in told)


@pytest.mark.corpus
def test_a_real_page(corpus: Path) -> None:
    page = corpus / "gpu-metrics" / "fake-gpu-operator-lt2.9_mig_metrics_Idle-1g.5gb-allocated.ini"
    told = read_metrics(page.read_text(encoding="utf-8"))
    assert set(told) == {("NVIDIA A100-SXM4-40GB", "520.56.06")}
