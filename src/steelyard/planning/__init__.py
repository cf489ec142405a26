"""Planning of studies by simulation: how many answers, raters, hours and how much money a target needs."""
