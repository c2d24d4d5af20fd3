//! The tables that the build script made of the files in `data`.

use crate::answer_kinds::{DialogueQuestion::*, Introduction::*, LiveTopic::*, OwnFact::*, WorldAction::*};
use crate::tables::{
    AnswerTable, ClockMeaning::*, CommandCenterWords, DateMeaning::*, DateTable, IngredientNames,
    LanguageData, List, MeasureNames, NarrationWords, NumberComposition, OtherLanguage, PlaceInList::*,
    RequestMeaning::*, RequestTable, SecretWords, Separator::*, SpokenTimerWords, Tens::*, TimeUnit::*,
    ToolWords, WordList, WordOrder::*, Writing::*,
};

include!(concat!(env!("OUT_DIR"), "/data.rs"));
