"""Write batches of tasks to files, and import answers from results files."""
