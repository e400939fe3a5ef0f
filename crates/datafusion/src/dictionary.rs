//! Dictionaries. The result for a value applies to each row with its key, so each value is checked
//! once.

#![forbid(unsafe_code)]

use std::sync::Arc;

use datafusion::arrow::array::{AnyDictionaryArray, ArrayRef, AsArray, BooleanArray};
use datafusion::arrow::compute::take;
use datafusion::common::{Result, internal_datafusion_err};
use trust8_columns::Policy;
use trust8_profile::Profile;

use crate::rows::{self, Plan};

/// Returns for each row whether it is UTF-8.
pub(crate) fn is_valid(array: &dyn AnyDictionaryArray) -> Result<ArrayRef> {
    Ok(take(&rows::is_valid(array.values())?, array.keys(), None)?)
}

/// Returns the error of each row.
pub(crate) fn errors(array: &dyn AnyDictionaryArray, profile: Option<&Profile>) -> Result<ArrayRef> {
    Ok(take(&rows::errors(array.values(), profile)?, array.keys(), None)?)
}

/// Returns the array as text: as a dictionary, unless the plan makes nulls. Values that no row has are not refused.
pub(crate) fn text(array: &dyn AnyDictionaryArray, plan: Plan) -> Result<ArrayRef> {
    match plan {
        // Few functions expect nulls among the values of a dictionary.
        Plan::Repair(Policy::Null, _) => Ok(take(&rows::text(array.values(), plan)?, array.keys(), None)?),
        Plan::Repair(..) => Ok(array.with_values(rows::text(array.values(), plan)?)),
        Plan::Refuse => {
            let bad = rows::invalid(array.values())?;
            if bad.count_set_bits() == 0 {
                return Ok(array.with_values(rows::text(array.values(), plan)?));
            }
            let bad_rows = take(&BooleanArray::new(bad, None), array.keys(), None)?;
            match bad_rows.as_boolean().iter().position(|bad| bad == Some(true)) {
                None => Ok(array.with_values(rows::text(array.values(), Plan::Repair(Policy::Drop, None))?)),
                Some(row) => {
                    let value: ArrayRef = Arc::clone(array.values()).slice(array.normalized_keys()[row], 1);
                    Err(match rows::text(&value, plan) {
                        Err(error) => error,
                        Ok(_) => internal_datafusion_err!("the value changed while it was read"),
                    })
                }
            }
        }
    }
}
