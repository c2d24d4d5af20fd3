//! Reads the tensors of a PyTorch checkpoint: a zip archive with a pickled dictionary and a file for each tensor.
//!
//! Only what a dictionary of tensors needs is understood. Nothing of the pickle is run: a name of a function is a name.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use zip::ZipArchive;

/// The tensors of a checkpoint, by their names.
#[derive(Default)]
pub(super) struct Checkpoint {
    tensors: HashMap<String, StoredTensor>,
}

/// The numbers of a tensor, and its shape.
pub(super) struct StoredTensor {
    pub shape: Vec<usize>,
    pub values: Vec<f32>,
}

/// The most bytes of the dictionary or of one tensor. Those of the known model take 2.6 MB; more is no such file.
const MAX_MEMBER_BYTES: u64 = 64 << 20;

/// The most bytes of all tensors. The known model has 28 MB.
const MAX_BYTES: u64 = 128 << 20;

impl Checkpoint {
    /// Reads all tensors of 32-bit numbers; others are left out.
    ///
    /// # Errors
    ///
    /// `InvalidData` when the file is no checkpoint; otherwise the error of the system.
    pub fn read(path: &Path) -> io::Result<Self> {
        let mut archive = ZipArchive::new(File::open(path)?).map_err(io::Error::other)?;
        let names: Vec<String> = archive.file_names().flatten().map(Cow::into_owned).collect();
        let dictionary = names.into_iter().find(|name| name.ends_with("/data.pkl"));
        let dictionary = dictionary.ok_or_else(|| invalid("it has no dictionary"))?;
        let folder = dictionary.trim_end_matches("data.pkl").to_owned();
        let pickle = member(&mut archive, &dictionary)?;
        let (mut checkpoint, mut total_bytes) = (Self::default(), 0);
        for (name, described) in tensors_in(&pickle).ok_or_else(|| invalid("its dictionary is unknown"))? {
            if described.storage_kind != "FloatStorage" {
                continue;
            }
            let bytes = member(&mut archive, &format!("{folder}data/{}", described.storage))?;
            total_bytes += bytes.len() as u64;
            if total_bytes > MAX_BYTES {
                return Err(invalid("it is too large"));
            }
            let values = described.values(&bytes).ok_or_else(|| invalid("a tensor is cut off"))?;
            checkpoint.tensors.insert(name, StoredTensor { shape: described.shape, values });
        }
        Ok(checkpoint)
    }

    /// Takes the tensor of this name and shape out.
    ///
    /// # Errors
    ///
    /// `InvalidData` when there is none: the checkpoint belongs to another network.
    pub fn take(&mut self, name: &str, shape: &[usize]) -> io::Result<Vec<f32>> {
        match self.tensors.remove(name) {
            Some(tensor) if tensor.shape == shape => Ok(tensor.values),
            Some(tensor) => Err(invalid(&format!("{name} has the shape {:?}", tensor.shape))),
            None => Err(invalid(&format!("it has no {name}"))),
        }
    }

    /// Returns `true` if there is a tensor of this name.
    pub fn has(&self, name: &str) -> bool {
        self.tensors.contains_key(name)
    }
}

fn invalid(reason: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason.to_owned())
}

fn member(archive: &mut ZipArchive<File>, name: &str) -> io::Result<Vec<u8>> {
    let file = archive.by_name(name).map_err(io::Error::other)?;
    let mut bytes = Vec::new();
    file.take(MAX_MEMBER_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A tensor as the dictionary describes it.
#[derive(Debug, Clone, PartialEq)]
struct DescribedTensor {
    storage_kind: String,
    storage: String,
    offset: usize,
    shape: Vec<usize>,
}

impl DescribedTensor {
    fn values(&self, bytes: &[u8]) -> Option<Vec<f32>> {
        let count = self.shape.iter().try_fold(1_usize, |count, length| count.checked_mul(*length))?;
        let end = self.offset.checked_add(count)?.checked_mul(4)?;
        let bytes = bytes.get(self.offset * 4..end)?;
        Some(
            bytes
                .chunks_exact(4)
                .map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]]))
                .collect(),
        )
    }
}

/// A value on the stack of the pickle.
#[derive(Debug, Clone, PartialEq)]
enum Value {
    Mark,
    Number(usize),
    Text(String),
    /// A function or class; only its name matters.
    Name(String),
    Tuple(Vec<Value>),
    /// The kind of a storage, and the file it is in.
    Storage(String, String),
    Tensor(DescribedTensor),
    Dictionary(Vec<(String, DescribedTensor)>),
    /// A value that no tensor needs.
    Other,
}

impl Value {
    /// The number of tuples inside each other.
    fn depth(&self) -> usize {
        match self {
            Self::Tuple(items) => 1 + items.iter().map(Self::depth).max().unwrap_or(0),
            _ => 0,
        }
    }
}

/// The tensors that a pickle describes; `None` when it has anything that a dictionary of tensors has not.
///
/// Source: the instructions of pickle protocol 2, as `pickletools` of Python documents them.
fn tensors_in(pickle: &[u8]) -> Option<Vec<(String, DescribedTensor)>> {
    let mut machine = PickleMachine { rest: pickle, stack: Vec::new(), memo: HashMap::new() };
    while machine.step()? {}
    match machine.stack.pop()? {
        Value::Dictionary(tensors) => Some(tensors),
        _ => None,
    }
}

struct PickleMachine<'a> {
    rest: &'a [u8],
    stack: Vec<Value>,
    memo: HashMap<usize, Value>,
}

impl<'a> PickleMachine<'a> {
    /// Runs one instruction. Returns `false` after the last one.
    fn step(&mut self) -> Option<bool> {
        match self.bytes(1)?[0] {
            0x80 => drop(self.bytes(1)?),
            b'}' => self.stack.push(Value::Dictionary(Vec::new())),
            b'(' => self.stack.push(Value::Mark),
            b')' => self.stack.push(Value::Tuple(Vec::new())),
            b'X' => self.push_text()?,
            b'c' => self.push_name()?,
            b'K' => self.push_number(1)?,
            b'M' => self.push_number(2)?,
            b'J' => self.push_number(4)?,
            b'\x88' | b'\x89' => self.stack.push(Value::Other),
            b'q' => self.remember(1)?,
            b'r' => self.remember(4)?,
            b'h' => self.recall(1)?,
            b'j' => self.recall(4)?,
            count @ 0x85..=0x87 => self.push_short_tuple(usize::from(count - 0x84))?,
            b't' => {
                let items = self.since_mark()?;
                self.push_tuple(items)?;
            }
            b'Q' => self.push_storage()?,
            b'R' => self.call()?,
            b's' => {
                let pair = self.stack.split_off(self.stack.len().checked_sub(2)?);
                self.set_items(pair)?;
            }
            b'u' => {
                let items = self.since_mark()?;
                self.set_items(items)?;
            }
            b'.' => return Some(false),
            _ => return None,
        }
        Some(true)
    }

    fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(bytes)
    }

    fn number(&mut self, bytes: usize) -> Option<usize> {
        let bytes = self.bytes(bytes)?;
        Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte)))
    }

    fn push_number(&mut self, bytes: usize) -> Option<()> {
        let number = self.number(bytes)?;
        self.stack.push(Value::Number(number));
        Some(())
    }

    fn push_text(&mut self) -> Option<()> {
        let length = self.number(4)?;
        let text = String::from_utf8(self.bytes(length)?.to_vec()).ok()?;
        self.stack.push(Value::Text(text));
        Some(())
    }

    /// Pushes a name: its module and itself, a line each.
    fn push_name(&mut self) -> Option<()> {
        let mut line = || {
            let end = self.rest.iter().position(|byte| *byte == b'\n')?;
            let line = self.bytes(end)?;
            self.bytes(1)?;
            std::str::from_utf8(line).ok()
        };
        let (_module, name) = (line()?, line()?);
        self.stack.push(Value::Name(name.to_owned()));
        Some(())
    }

    fn remember(&mut self, bytes: usize) -> Option<()> {
        let (number, value) = (self.number(bytes)?, self.stack.last()?.clone());
        self.memo.insert(number, value);
        Some(())
    }

    fn recall(&mut self, bytes: usize) -> Option<()> {
        let number = self.number(bytes)?;
        self.stack.push(self.memo.get(&number)?.clone());
        Some(())
    }

    fn push_short_tuple(&mut self, count: usize) -> Option<()> {
        let items = self.stack.split_off(self.stack.len().checked_sub(count)?);
        self.push_tuple(items)
    }

    /// Pushes a tuple. One that is deeper or longer than those of a tensor could fill the memory with few instructions.
    fn push_tuple(&mut self, items: Vec<Value>) -> Option<()> {
        const MAX_DEPTH: usize = 4;
        const MAX_ITEMS: usize = 16;
        let tuple = Value::Tuple(items);
        let is_usual =
            tuple.depth() <= MAX_DEPTH && matches!(&tuple, Value::Tuple(items) if items.len() <= MAX_ITEMS);
        self.stack.push(tuple);
        is_usual.then_some(())
    }

    fn since_mark(&mut self) -> Option<Vec<Value>> {
        let mark = self.stack.iter().rposition(|value| *value == Value::Mark)?;
        let items = self.stack.split_off(mark + 1);
        self.stack.pop();
        Some(items)
    }

    /// Pushes a storage: `("storage", kind, file, device, numbers)`.
    fn push_storage(&mut self) -> Option<()> {
        let Value::Tuple(items) = self.stack.pop()? else { return None };
        let [_, Value::Name(kind), Value::Text(file), ..] = items.as_slice() else { return None };
        self.stack.push(Value::Storage(kind.clone(), file.clone()));
        Some(())
    }

    /// Makes a tensor where the pickle calls the function that makes one. Other calls make what no tensor needs.
    fn call(&mut self) -> Option<()> {
        let (arguments, function) = (self.stack.pop()?, self.stack.pop()?);
        let (Value::Tuple(arguments), Value::Name(function)) = (arguments, function) else { return None };
        let is_tensor = function == "_rebuild_tensor_v2";
        self.stack.push(if is_tensor { Value::Tensor(tensor_of(&arguments)?) } else { Value::Other });
        Some(())
    }

    fn set_items(&mut self, items: Vec<Value>) -> Option<()> {
        let Value::Dictionary(tensors) = self.stack.last_mut()? else { return None };
        let mut items = items.into_iter();
        while let Some(key) = items.next() {
            if let (Value::Text(name), Value::Tensor(tensor)) = (key, items.next()?) {
                tensors.push((name, tensor));
            }
        }
        Some(())
    }
}

/// A tensor of `(storage, offset, shape, strides, …)`. `None` unless its rows follow each other.
fn tensor_of(arguments: &[Value]) -> Option<DescribedTensor> {
    let [Value::Storage(kind, file), Value::Number(offset), Value::Tuple(shape), Value::Tuple(strides), ..] =
        arguments
    else {
        return None;
    };
    let numbers = |values: &[Value]| -> Option<Vec<usize>> {
        let number = |value: &Value| match value {
            Value::Number(number) => Some(*number),
            _ => None,
        };
        values.iter().map(number).collect()
    };
    let (shape, strides) = (numbers(shape)?, numbers(strides)?);
    let mut expected = 1;
    for (length, stride) in shape.iter().zip(&strides).rev() {
        if *stride != expected && *length != 1 {
            return None;
        }
        expected = length.checked_mul(expected)?;
    }
    Some(DescribedTensor { storage_kind: kind.clone(), storage: file.clone(), offset: *offset, shape })
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use rstest::rstest;

    use super::*;

    /// `{"w": <2 x 2 numbers>}` as PyTorch pickles it; `call` is the function that makes the tensor.
    fn pickle(call: &str) -> Vec<u8> {
        let mut pickle = b"\x80\x02}q\x00(X\x01\x00\x00\x00wq\x01ctorch._utils\n".to_vec();
        pickle.extend(call.as_bytes());
        pickle.extend(
            b"\nq\x02((X\x07\x00\x00\x00storageq\x03ctorch\nFloatStorage\nq\x04X\x01\x00\x00\x007q\x05",
        );
        pickle
            .extend(b"X\x03\x00\x00\x00cpuq\x06K\x04tq\x07QK\x00K\x02K\x02\x86q\x08K\x02K\x01\x86q\x09\x89");
        pickle.extend(b"ccollections\nOrderedDict\nq\x0a)Rq\x0btq\x0cRq\x0du.");
        pickle
    }

    fn checkpoint_file(pickle: &[u8], numbers: &[f32]) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut archive = zip::ZipWriter::new(file.reopen().unwrap());
        let options =
            zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        archive.start_file("archive/data.pkl", options).unwrap();
        archive.write_all(pickle).unwrap();
        archive.start_file("archive/data/7", options).unwrap();
        archive
            .write_all(&numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>())
            .unwrap();
        archive.finish().unwrap();
        file
    }

    #[test]
    fn tensor_is_read_with_its_shape() {
        let file = checkpoint_file(&pickle("_rebuild_tensor_v2"), &[1.0, 2.0, 3.0, 4.0]);

        let values = Checkpoint::read(file.path()).unwrap().take("w", &[2, 2]).unwrap();

        assert_eq!(values, [1.0, 2.0, 3.0, 4.0]);
    }

    #[rstest]
    #[case::function_that_makes_no_tensor(pickle("system"), &[1.0; 4])]
    #[case::tensor_that_is_cut_off(pickle("_rebuild_tensor_v2"), &[1.0; 3])]
    #[case::pickle_that_is_cut_off(pickle("_rebuild_tensor_v2")[..60].to_vec(), &[1.0; 4])]
    #[case::unknown_instruction(b"\x80\x02i.".to_vec(), &[1.0; 4])]
    fn damaged_checkpoint_gives_no_tensor(#[case] pickle: Vec<u8>, #[case] numbers: &[f32]) {
        let file = checkpoint_file(&pickle, numbers);

        let tensor = Checkpoint::read(file.path()).and_then(|mut checkpoint| checkpoint.take("w", &[2, 2]));

        assert_eq!(tensor.unwrap_err().kind(), io::ErrorKind::InvalidData);
    }
}
