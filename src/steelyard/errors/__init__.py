"""Errors whose cause a user can correct: one class per mistake, one file per subject.

Catch `SteelyardError` to catch all of them. Each message says what is wrong, where, and what to do.

SteelyardError
├── BadInput                  a file or data frame of judgments or items
│   ├── BadRows               all mistakes in the rows of one file, grouped by class
│   ├── BadLogRows            rows of a large log that cannot be used
│   ├── RowMistake            a mistake in one row
│   │   ├── MissingValue  NotANumber  NotATime  ScoreOutOfRange  SelfComparison  DuplicateAnswer
│   │   ├── UnknownItem  UnknownOutcome  UnknownWord  BadRank  BadChoice  BadCount  CrossedRange  RaggedLine
│   │   ├── DuplicateItem  MissingFile  ContradictoryRow  RefusedAnswer  UnseparableAnswers
│   │   └── NotMedia  BadCharacter  MachineRater
│   ├── MissingColumn  EmptyFile  WrongEncoding  NoSuchFile
│   ├── UnreadableFile
│   │   └── StoreUnavailable  DamagedStudy
│   ├── AmbiguousLayout  UnknownLayout  SeveralKinds  SeveralKindsInPlace
│   ├── TooFewItems  TooFewLevels  NoTies  OnlyTies  Unconnected  Separated
│   ├── NothingToFit
│   │   └── NothingCounted  TooFewRatings  LogOfOtherKind
│   └── TooManyCells  MixedKinds  NothingToTest  NothingToConvert  NoGroupFitted
├── BadSetting                a setting of a study, a model or a selection
│   ├── UnknownName           an unknown key, model, selection, column or format
│   ├── NoSystems             judgments without systems, for a scale of systems
│   └── DifferentTables       two fits that a likelihood ratio cannot compare
├── JudgeStopped              a program that judges ended early or did not answer
├── CannotWrite               a result cannot be written to its path
├── MissingLibrary            a data frame or chart of a library that is not installed
├── ApiError                  a request of a client, or a message to a webhook
│   └── RequestRefused  ServerUnreachable  StillCollecting  BadSignature
└── StudyError                a running study cannot do what was requested
    ├── TaskClosed  UnknownRater  NothingToUndo  StudyExists  StudyChanged  NoStudy
    ├── NothingToClose  NoColdStart  EarlierAnswerKept  AnswerTakenBack  TooManyUndos  WorkerEnded
    ├── UnknownEvent  HalfDone  ItemExists  ServerFull  SeveralRaters
    ├── BadAnswer             an answer does not fit its task
    │   └── AnsweredTooFast
    └── LogRewritten
"""

# ruff: noqa: F403 - users import every error from here; a test compares the tree above with these names

from steelyard.errors.analysis import *
from steelyard.errors.api import *
from steelyard.errors.base import *
from steelyard.errors.files import *
from steelyard.errors.rows import *
from steelyard.errors.settings import *
from steelyard.errors.study import *
