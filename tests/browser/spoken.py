"""What screen readers find in a task of each protocol, as parts of its accessibility tree."""

QUESTION = '- heading "How filling would each be for you?" [level=1]'
SPOKEN = {
    "rating": f"""
{QUESTION}
- region "Your answer":
  - slider "How filling would each be for you?"
  - button "I can’t judge this"
  - paragraph: Place your answer first.
  - button "Next" [disabled]
""",
    "list": f"""
{QUESTION}
- list:
  - listitem:
    - slider /^A. /
    - checkbox /Can’t judge. A/
  - listitem:
    - slider /^B. /
    - checkbox /Can’t judge. B/
- complementary "Your order so far"
- paragraph: Place each one, or tick “Can’t judge”.
- button "Next" [disabled]
""",
    "comparison": f"""
{QUESTION}
- region "A"
- region "B"
- group "How filling would each be for you?":
  - button "A"
  - button "About equal"
  - button "B"
- button "I can’t judge these"
""",
    "comparison_list": f"""
- complementary "Compared with":
  - paragraph: Compared with
{QUESTION}
""",
    "ranking": f"""
{QUESTION}
- list:
  - listitem:
    - button /Move A. .*not placed yet/
  - listitem:
    - button /Move B. .*not placed yet/
- button "I can’t judge these"
- paragraph: Place each one.
- button "Next" [disabled]
""",
    "best_worst": f"""
{QUESTION}
- group:
  - list:
    - listitem:
      - radio /Least. A. /
      - radio /Most. A. /
    - listitem:
      - radio /Least. B. /
      - radio /Most. B. /
- button "I can’t judge these"
- paragraph: Choose the most and the least.
- button "Next" [disabled]
""",
    "range": f"""
{QUESTION}
- slider /Lowest possible position. /
- slider /Highest possible position. /
- button "I can’t judge this"
- button "It could be the very lowest"
- button /Next. highest position/ [disabled]
""",
}
