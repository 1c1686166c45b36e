"""The report: built once from facts and outcomes, then printed as HTML, PDF, JSON and a summary for the terminal."""
