"""Publishing a study on MTurk and Prolific, and paying the people who took part."""
