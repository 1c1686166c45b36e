"""The lines for the terminal."""

from runai_analyze.report.summary import summary_lines

from .sample import bundle, outcomes, sample


def test_the_summary_leads_with_notes_and_verdict() -> None:
    lines = summary_lines(sample(info=bundle(state="cut")))
    assert lines[0].startswith("Note: This bundle is cut")
    assert lines[1].startswith("Run:ai 2.25 is installed on atlas-prod but cannot work as it should.")
    assert lines[2] == "atlas-prod: 2 blockers, 1 risk, 2 notes, 3 not checked, 2 passed"
    assert lines[3] == "  1. The certificate of the cluster URL expired two days ago (RAI-CRT-001, critical)"


def test_no_control_character_reaches_the_terminal() -> None:
    hostile = "\x1b]0;owned\x07\x1b[2J\r\n\u202e"
    report = sample(cluster={"name": hostile}, info=bundle(file_name=hostile))
    for line in summary_lines(report):
        assert not any(ord(sign) < 32 or 0x7F <= ord(sign) < 0xA0 or sign == "\u202e" for sign in line), line


def test_the_summary_is_short() -> None:
    assert len(summary_lines(sample(given=outcomes()))) <= 12


def test_what_was_not_seen_is_said_in_words_once_for_all_rules_that_lack_it() -> None:
    lines = [line for line in summary_lines(sample()) if "Not seen" in line]
    assert (
        lines[1]
        == "  ? Not seen: The GPUs of gpu-08 as its driver sees them: nvidia-smi did not answer within 30 s (RAI-GPU-030)"
    )
