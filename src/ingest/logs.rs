//! Reading test logs line by line, in memory that does not depend on their size.

use std::io::{BufRead, BufReader, Read};

/// The piece of a line that is looked at: what tells stands near its start.
const LINE: usize = 4096;

/// Cores of the machine that ran the tests. The order puts the fewest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Cores {
    /// One.
    One,
    /// Two or more.
    Several,
}

impl Cores {
    /// As the CSV writes it.
    pub fn text(self) -> &'static str {
        match self {
            Self::One => "1",
            Self::Several => "2+",
        }
    }
}

/// What pylint's tests say when they are skipped for lack of cores.
const SKIPPED: &[u8] = b"Need 2 or more cores";
/// Tests that run only with two cores.
const PARALLEL: [&[u8]; 3] =
    [b"::test_parallel_execution", b"::test_multiprocessing", b"::test_custom_should_analyze_file"];

/// Whether the run had two cores; `None` inside when the log does not tell.
pub(super) fn cores(log: &mut dyn Read) -> std::io::Result<Option<Option<Cores>>> {
    let mut found = None;
    let read = each_line(log, |line| {
        if has(line, SKIPPED) {
            found = Some(Cores::One);
            return false;
        }
        let ran = line.starts_with(b"PASSED ") || line.starts_with(b"FAILED ");
        if ran && PARALLEL.iter().any(|test| has(line, test)) {
            found = Some(Cores::Several);
        }
        true
    })?;
    Ok(read.then_some(found))
}

/// Whether the external service answered with a server error (5xx); `None` when
/// the log is empty.
pub(super) fn service_fails(log: &mut dyn Read) -> std::io::Result<Option<bool>> {
    let mut fails = false;
    let read = each_line(log, |line| {
        fails = is_server_error(line);
        !fails
    })?;
    Ok(read.then_some(fails))
}

/// A status of 500 to 599 where a failure is reported, not where a test's source
/// is quoted: some tests ask for such a status on purpose.
fn is_server_error(line: &[u8]) -> bool {
    let reported = line.trim_ascii_start().starts_with(b"E ") || has(line, b"Error");
    reported
        && statuses(line).any(|(before, after)| {
            let (before, after) = (before.trim_ascii_end(), after.trim_ascii_start());
            BEFORE.iter().any(|text| before.ends_with(text))
                && AFTER.iter().any(|text| after.starts_with(text))
        })
}

/// What stands around the status of an answer where a failure is reported.
const BEFORE: [&[u8]; 3] = [b"Response [", b"assert", b"Error:"];
const AFTER: [&[u8]; 4] = [b"]", b"==", b"!=", b"Server Error"];

/// The text before and after each number from 500 to 599.
fn statuses(line: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    memchr::memchr_iter(b'5', line).filter_map(move |at| {
        let (before, rest) = line.split_at(at);
        let (number, after) = rest.split_at_checked(3)?;
        let alone = !before.last().is_some_and(u8::is_ascii_alphanumeric)
            && !after.first().is_some_and(u8::is_ascii_alphanumeric);
        (alone && number.iter().all(u8::is_ascii_digit)).then_some((before, after))
    })
}

fn has(line: &[u8], what: &[u8]) -> bool {
    memchr::memmem::find(line, what).is_some()
}

/// Passes the start of each line on until told to stop; whether there was any byte.
fn each_line(log: &mut dyn Read, mut look: impl FnMut(&[u8]) -> bool) -> std::io::Result<bool> {
    let mut reader = BufReader::with_capacity(1 << 16, log);
    let (mut line, mut any) = (Vec::with_capacity(LINE), false);
    loop {
        line.clear();
        let n = reader.by_ref().take(LINE as u64).read_until(b'\n', &mut line)?;
        if n == 0 {
            return Ok(any);
        }
        any = true;
        if !look(&line) {
            return Ok(true);
        }
        if n == LINE && line.last() != Some(&b'\n') {
            skip_line(&mut reader)?;
        }
    }
}

fn skip_line(reader: &mut impl BufRead) -> std::io::Result<()> {
    loop {
        let block = reader.fill_buf()?;
        let Some(end) = memchr::memchr(b'\n', block) else {
            let n = block.len();
            if n == 0 {
                return Ok(());
            }
            reader.consume(n);
            continue;
        };
        reader.consume(end + 1);
        return Ok(());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cores_of(log: &[u8]) -> Option<Cores> {
        cores(&mut &*log).unwrap().flatten()
    }

    fn fails(log: &str) -> Option<bool> {
        service_fails(&mut log.as_bytes()).unwrap()
    }

    #[test]
    fn skipped_tests_tell_one_core_and_parallel_tests_that_ran_tell_more() {
        let skipped = b"PASSED tests/a.py::test_x\n\
            SKIPPED [2] tests/test_self.py: Need 2 or more cores for test to be meaningful\n";
        assert_eq!(cores_of(skipped), Some(Cores::One));
        let ran = b"junk \xff\nPASSED tests/test_self.py::TestRunTC::test_parallel_execution\n";
        assert_eq!(cores_of(ran), Some(Cores::Several));
        assert_eq!(cores_of(b"PASSED tests/a.py::test_x\ntests/test_self.py::test_paral"), None);
        assert_eq!(cores(&mut &b""[..]).unwrap(), None);
    }

    #[test]
    fn only_reported_server_errors_count() {
        for log in [
            "E       assert 503 == 200",
            "E   AssertionError: 502 != 200",
            "E    +  where False = <Response [504]>.ok",
            "requests.exceptions.HTTPError: 503 Server Error: Service Unavailable",
            "ok\nE  assert <Response [503]>\n",
        ] {
            assert_eq!(fails(log), Some(true), "{log}");
        }
        for log in [
            "        r = requests.get(httpbin('status', '500'))",
            "        assert r.status_code == 503",
            "E       assert 404 == 200",
            "FAILED test_requests.py::test_x took 512 ms",
            "E   assert 5030 == 200",
            "PASSED test_requests.py::test_500",
        ] {
            assert_eq!(fails(log), Some(false), "{log}");
        }
        assert_eq!(fails(""), None);
    }

    #[test]
    fn a_line_without_end_is_cut_and_what_follows_is_read() {
        let mut log = vec![b'x'; 3 * (1 << 16) + 7];
        log.extend_from_slice(b"\nSKIPPED [1] a.py: Need 2 or more cores for");
        assert_eq!(cores_of(&log), Some(Cores::One));
        // Not at the start of a line: a piece in the middle of a long one is not one.
        let mut log = vec![b'x'; LINE];
        log.extend_from_slice(b"PASSED a.py::test_multiprocessing\n");
        assert_eq!(cores_of(&log), None);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(log in prop::collection::vec(any::<u8>(), 0..300)) {
            prop_assert_eq!(cores(&mut &*log).unwrap().is_some(), !log.is_empty());
            prop_assert_eq!(service_fails(&mut &*log).unwrap().is_some(), !log.is_empty());
        }
    }
}
