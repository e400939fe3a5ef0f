//! What the command says about mistakes, and how it undoes mojibake. These are the command's own files.

use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::mistake::Mistake;
use crate::mojibake;

exports!(fix_mojibake, mistake;);

/// Undo mojibake: UTF-8 that was read as windows-1252, as in ``GrÃ¶ÃŸe`` for ``Größe``.
///
/// A line changes only if all of it is certainly mojibake, as with the command's ``fix
/// --unmojibake``. Text without mojibake stays unchanged.
///
/// >>> import trust8
/// >>> trust8.fix_mojibake('Gr\u00c3\u00b6\u00c3\u0178e') == 'Gr\u00f6\u00dfe'
/// True
#[pyfunction]
#[pyo3(signature = (text, /))]
pub(crate) fn fix_mojibake<'py>(text: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyString>> {
    let py = text.py();
    // Text with surrogates was decoded by another codec.
    let Ok(whole) = text.to_str() else { return Ok(text.clone()) };
    let mut fixed = String::new();
    let mut is_changed = false;
    for line in whole.split_inclusive('\n') {
        match mojibake::undo(line) {
            Some(original) => {
                is_changed = true;
                fixed.push_str(&original);
            }
            None => fixed.push_str(line),
        }
        py.check_signals()?;
    }
    Ok(if is_changed { PyString::new(py, &fixed) } else { text.clone() })
}

/// Return the length of the mistake at the start of `data` and the command's message about it, or
/// None if there is none.
///
/// `data` has six bytes, or the rest of the text if it is shorter.
#[pyfunction]
#[pyo3(name = "_mistake", signature = (data, /))]
pub(crate) fn mistake(data: &[u8]) -> Option<(usize, String)> {
    let error = trust8::from_utf8(data).err()?;
    (error.valid_up_to() == 0).then(|| {
        let mistake = Mistake::of(&error, data);
        (mistake.bytes.len(), mistake.to_string())
    })
}
