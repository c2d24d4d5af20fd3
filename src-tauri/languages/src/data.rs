//! The tables that the build script made of the files in `data`.

use crate::tables::{
    DateMeaning::*, DateTable, LanguageData, List, MeasureNames, NumberComposition, OtherLanguage,
    Separator::*, Tens::*, TimeUnit::*, WordList, WordOrder::*, Writing::*,
};

include!(concat!(env!("OUT_DIR"), "/data.rs"));
