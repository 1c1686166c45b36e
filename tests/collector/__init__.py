"""Tests of the collector, a file a module."""
