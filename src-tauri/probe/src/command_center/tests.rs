use rstest::rstest;

use super::*;
