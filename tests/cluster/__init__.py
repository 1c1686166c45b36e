"""A real cluster for tests: etcd and kube-apiserver on loopback, nodes that answer exec and logs, a recording proxy."""

from tests.cluster.binaries import Binaries, find_binaries
from tests.cluster.building import MissingBinariesError
from tests.cluster.client import ApiError, Client, Response
from tests.cluster.server import USERS, Cluster

__all__ = ["USERS", "ApiError", "Binaries", "Client", "Cluster", "MissingBinariesError", "Response", "find_binaries"]
