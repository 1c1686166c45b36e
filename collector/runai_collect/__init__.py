"""runai-collect: reads a Kubernetes cluster into one support bundle; standard library only, Python 3.6 and up."""

__version__ = "0.1.0"
