#![no_main]

#[path = "../../tests/remembering/feeding.rs"]
mod feeding;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| feeding::feed(feeding::Food::Packed, bytes));
