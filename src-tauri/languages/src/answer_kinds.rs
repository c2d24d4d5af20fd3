//! The topics, actions and statements of users that `answers.toml` has patterns for.

/// A topic about which only a source outside can tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LiveTopic {
    /// The weather of a place, now or later.
    Weather,
    /// News of any kind.
    News,
    /// Prices and rates.
    Prices,
    /// Results of sports and elections.
    Scores,
    /// Roads, and timetables of trains and buses.
    Traffic,
    /// The hours of a shop or an office.
    OpeningHours,
    /// Outcomes in the future.
    Outcomes,
}

/// Something done in the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WorldAction {
    /// Sending mail.
    Mail,
    /// Sending messages.
    Messages,
    /// Calling somebody.
    PhoneCalls,
    /// Switching lights and devices.
    Devices,
    /// Playing music.
    Music,
    /// Buying something.
    Purchases,
    /// Booking something.
    Bookings,
}

/// A statement of somebody about themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Introduction {
    /// Their name.
    OwnName,
    /// The place where they live.
    OwnPlace,
}

/// The kind of a statement about the user, or about a person or a thing of theirs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OwnFact {
    /// The name of somebody or something: "my cat is called Tom".
    Name,
    /// The name of one of which there may be several: "I have a cat called Tom".
    AnotherName,
    /// The place where somebody lives.
    Place,
    /// The work of somebody.
    Work,
    /// The thing of its kind that they like most.
    Favourite,
    /// Something that they do not like. There may be several.
    Dislike,
    /// Something that they like. There may be several.
    Like,
    /// The number of people or animals.
    Number,
    /// The day on which somebody was born.
    Birthday,
    /// The day of a wedding.
    Anniversary,
    /// Something that somebody cannot eat or be near. There may be several.
    Allergy,
    /// Somebody eats nothing of a kind: "vegetarian".
    Diet,
    /// The number of years of somebody.
    Age,
    /// The place that somebody comes from.
    Origin,
}

/// A question about what was said in this conversation, or about the assistant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DialogueQuestion {
    /// The first sentence of the user.
    FirstSaid,
    /// The first question or order of the user.
    FirstAsked,
    /// The sentence of the user before this one.
    LastSaid,
    /// The last question or order of the user before this one.
    LastAsked,
    /// The words that the assistant said last.
    LastAnswer,
    /// The assistant's name and nature.
    WhoAreYou,
    /// The assistant's abilities.
    WhatCanYouDo,
    /// The health of the assistant, out of politeness.
    HowAreYou,
    /// All that is known of the user.
    WhatIsKnown,
    /// The place of this computer.
    WhereAmI,
}

impl LiveTopic {
    /// All topics, with their names in files.
    pub const ALL: [(&'static str, Self); 7] = [
        ("weather", Self::Weather),
        ("news", Self::News),
        ("prices", Self::Prices),
        ("scores", Self::Scores),
        ("traffic", Self::Traffic),
        ("opening_hours", Self::OpeningHours),
        ("outcomes", Self::Outcomes),
    ];
}

impl WorldAction {
    /// All actions, with their names in files.
    pub const ALL: [(&'static str, Self); 7] = [
        ("mail", Self::Mail),
        ("messages", Self::Messages),
        ("calls", Self::PhoneCalls),
        ("devices", Self::Devices),
        ("music", Self::Music),
        ("purchases", Self::Purchases),
        ("bookings", Self::Bookings),
    ];
}

impl Introduction {
    /// Both, with their names in files.
    pub const ALL: [(&'static str, Self); 2] = [("name", Self::OwnName), ("place", Self::OwnPlace)];
}

impl OwnFact {
    /// All of them, with their names in files.
    pub const ALL: [(&'static str, Self); 14] = [
        ("name", Self::Name),
        ("another_name", Self::AnotherName),
        ("place", Self::Place),
        ("work", Self::Work),
        ("favourite", Self::Favourite),
        ("dislike", Self::Dislike),
        ("like", Self::Like),
        ("number", Self::Number),
        ("birthday", Self::Birthday),
        ("anniversary", Self::Anniversary),
        ("allergy", Self::Allergy),
        ("diet", Self::Diet),
        ("age", Self::Age),
        ("origin", Self::Origin),
    ];
}

impl DialogueQuestion {
    /// All of them, with their names in files.
    pub const ALL: [(&'static str, Self); 10] = [
        ("first_said", Self::FirstSaid),
        ("first_asked", Self::FirstAsked),
        ("last_said", Self::LastSaid),
        ("last_asked", Self::LastAsked),
        ("last_answer", Self::LastAnswer),
        ("who_are_you", Self::WhoAreYou),
        ("what_can_you_do", Self::WhatCanYouDo),
        ("how_are_you", Self::HowAreYou),
        ("what_is_known", Self::WhatIsKnown),
        ("where_am_i", Self::WhereAmI),
    ];
}

/// The name of a value in files.
pub fn name_in<T: Copy + PartialEq>(all: &[(&'static str, T)], value: T) -> &'static str {
    all.iter().find(|(_, known)| *known == value).map_or("", |(name, _)| name)
}
