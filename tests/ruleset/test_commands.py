"""Commands of a fix: what each does, against the reference of the programs, and what nobody may be told to send."""

import time

import pytest
from runai_analyze.ruleset.commands import command_problems

READ = [
    "kubectl get nodes -o wide",
    "kubectl -n create get pods",
    "kubectl describe pod delete -n x",
    "kubectl get secrets -n runai",
    "kubectl describe secret a -n b",
    "kubectl get configmap my-secret -o yaml",
    "kubectl logs deployment/a -n b --tail=200",
    "kubectl rollout status deployment/a",
    "kubectl rollout history deployment/a",
    "kubectl apply -f x.yaml --dry-run=server",
    "kubectl create secret generic a --dry-run=client",
    "kubectl auth can-i delete pods",
    "kubectl exec pod -- cat /etc/os-release",
    "kubectl exec pod -- printenv HOME",
    "kubectl config view",
    "helm list -A",
    "helm get notes x",
    "systemctl status kubelet",
    "nvidia-smi -q",
    "openssl s_client -connect a:443 </dev/null | openssl x509 -noout -dates",
    "sed -n 1,5p /etc/fstab",
]
CHANGES = {
    "kubectl delete pod x": "delete",
    "kubectl -n a --context b patch deployment c -p '{}'": "patch",
    "oc adm drain x": "adm",
    "kubectl rollout restart deployment/a": "rollout",
    "kubectl get pods -o name | xargs kubectl delete": "delete",
    "kubectl get nodes && kubectl cordon x": "cordon",
    "kubectl apply -f x.yaml --dry-run=none": "apply",
    "kubectl exec pod -- rm -rf /tmp/x": "rm",
    "kubectl exec pod -n a -- nvidia-smi --gpu-reset": "--gpu-reset",
    "helm upgrade -i a b": "upgrade",
    "sudo systemctl restart kubelet": "restart",
    "sudo nvidia-smi -pm 1": "-pm",
    "apt-get install -y chrony": "install",
    "echo 1 | sudo tee /proc/sys/x": "tee",
    "sed -i s/a/b/ x": "-i",
    "KUBECONFIG=x kubectl label node a b=c": "label",
    "certbot; kubectl certificate approve x": "certificate",
}
SECRETS = [
    "kubectl get secret a -n b -o yaml",
    "kubectl get secrets -A -ojson",
    "kubectl get secret/a --output=yaml",
    "kubectl get configmap,secret -o yaml",
    "kubectl get -o jsonpath='{.data.password}' secret a",
    "kubectl get secret a -o go-template='{{.data.x}}'",
    "kubectl get secret a -o jsonpath={.data.x} | base64 -d",
    "echo eA== | base64 --decode",
    "oc extract secret/a --to=-",
    "kubectl config view --raw",
    "helm get values runai -n runai",
    "kubectl exec a -- env",
    "kubectl exec a -n b -- printenv",
]


def codes(text: str, risk: str = "read only") -> list[str]:
    return [code for code, _, _ in command_problems(text, risk)]


@pytest.mark.parametrize("text", READ)
def test_what_only_looks(text: str) -> None:
    assert codes(text) == []


@pytest.mark.parametrize("text", CHANGES)
def test_what_changes_something_is_not_read_only(text: str) -> None:
    ((code, message, place),) = command_problems(text, "read only")
    assert (code, text[place:].split()[0]) == ("risk", CHANGES[text])
    assert message == f"the risk says read only, and {CHANGES[text]} changes something: write changes the cluster (what)"
    assert codes(text, "changes the cluster (something)") == []


@pytest.mark.parametrize("text", SECRETS)
def test_what_prints_a_secret(text: str) -> None:
    assert codes(text) == ["prints-secret"]


def test_a_command_that_only_looks_says_so() -> None:
    assert codes("kubectl get nodes | grep x", "changes the cluster (no)") == []  # grep is not known
    assert codes("kubectl get nodes; kubectl describe node x", "changes the cluster (no)") == ["harmless"]
    assert codes("kubectl get nodes > x.txt", "changes the cluster (writes a file)") == []


def test_gaps() -> None:
    assert codes("kubectl describe node <node-name>") == ["open-placeholder"]
    assert codes("kubectl describe node NODE") == []
    assert codes("cat <file.txt") == []


def test_a_long_command_is_read_in_time_that_grows_as_it_does() -> None:
    start = time.process_time()
    for text in ("kubectl get " * 80_000, "-n " * 300_000, "<a" * 500_000, "kubectl exec -- " * 60_000):
        codes(text)
    assert time.process_time() - start < 10
