"""Everything that can go wrong for a user: one class per mistake, one file per subject.

SteelyardError
├── BadInput                  a file or frame of judgments or items
│   ├── BadRows               mistakes found in rows, grouped by class
│   ├── RowMistake            one row's mistake
│   │   ├── MissingValue  NotANumber  NotATime  ScoreOutOfRange  SelfComparison  DuplicateAnswer
│   │   ├── UnknownItem  UnknownOutcome  UnknownWord  BadRank  BadChoice  BadCount  CrossedRange  RaggedLine
│   │   ├── DuplicateItem  MissingFile  ContradictoryRow  RefusedAnswer  UnseparableAnswers
│   │   └── NotMedia  BadCharacter
│   ├── MissingColumn  EmptyFile  WrongEncoding  UnreadableFile  NoSuchFile
│   ├── AmbiguousLayout  UnknownLayout
│   ├── TooFewItems  TooFewLevels  NoTies  OnlyTies  Unconnected  Separated
│   ├── NothingToFit
│   │   └── NothingCounted  TooFewRatings
│   └── MixedKinds  NothingToTest  NothingToConvert  NoGroupFitted
├── BadSetting                a setting of a study, a model or a selection
│   ├── UnknownName           a key, model, selection, column or format nobody knows
│   └── DifferentTables       two fits that no likelihood ratio can compare
├── CannotWrite               a result has nowhere to go
├── MissingLibrary            a frame of a library that is not installed
└── StudyError                a running study refuses
    ├── TaskClosed  UnknownRater  BadAnswer  NothingToUndo  StudyExists  StudyChanged  NoStudy
    ├── NothingToClose  NoColdStart  EarlierAnswerKept  AnswerTakenBack  TooManyUndos  WorkerEnded
    └── UnknownEvent
"""

# ruff: noqa: F403 - users know one list of names; a test says that the tree above is that list

from steelyard.errors.analysis import *
from steelyard.errors.base import *
from steelyard.errors.files import *
from steelyard.errors.rows import *
from steelyard.errors.settings import *
from steelyard.errors.study import *
