//! What DataFusion asks of a function.

#![forbid(unsafe_code)]

use std::sync::{Arc, LazyLock};

use datafusion::arrow::array::{ArrayRef, AsArray};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::{Result, ScalarValue, internal_err, plan_err};
use datafusion::logical_expr::scalar_doc_sections::DOC_SECTION_STRING;
use datafusion::logical_expr::{
    ColumnarValue, Documentation, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};
use trust8::columns::Policy;

use crate::dictionary;
use crate::rows::{self, Plan, text_type};

/// The functions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Task {
    IsValid,
    MakeValid,
    Validate,
    TryValidate,
    Error,
}

/// What [`Function`] says about itself in `information_schema`, in the order of [`Task::ALL`].
static DOCUMENTATION: LazyLock<[Documentation; 5]> = LazyLock::new(|| {
    Task::ALL.map(|task| {
        let (description, syntax) = task.description();
        let documentation = Documentation::builder(DOC_SECTION_STRING, description, syntax)
            .with_argument("col", "A value of bytes or text.");
        match task {
            Task::MakeValid => documentation.with_argument(
                "policy",
                "A literal: 'replace' (the default), 'java', 'drop', 'null', 'escape' or 'windows-1252'.",
            ),
            _ => documentation,
        }
        .build()
    })
});

impl Task {
    pub(crate) const ALL: [Self; 5] =
        [Self::IsValid, Self::MakeValid, Self::Validate, Self::TryValidate, Self::Error];

    fn name(self) -> &'static str {
        match self {
            Self::IsValid => "is_valid_utf8",
            Self::MakeValid => "make_valid_utf8",
            Self::Validate => "validate_utf8",
            Self::TryValidate => "try_validate_utf8",
            Self::Error => "utf8_error",
        }
    }

    fn description(self) -> (&'static str, &'static str) {
        match self {
            Self::IsValid => ("Returns whether a value is UTF-8.", "is_valid_utf8(col)"),
            Self::MakeValid => (
                "Returns a value as text, and repairs it if it is not UTF-8.",
                "make_valid_utf8(col[, policy])",
            ),
            Self::Validate => {
                ("Returns a value as text, and fails if it is not UTF-8.", "validate_utf8(col)")
            }
            Self::TryValidate => {
                ("Returns a value as text, or null if it is not UTF-8.", "try_validate_utf8(col)")
            }
            Self::Error => (
                "Returns what is wrong with a value that is not UTF-8, as a struct of offset, length, kind and message.",
                "utf8_error(col)",
            ),
        }
    }

    /// Returns what the text functions do about values that are not UTF-8, or `None` if the policy is null. `policy` is the
    /// second argument.
    fn plan(self, policy: Option<&ScalarValue>) -> Result<Option<Plan>> {
        let Some(policy) = policy else {
            return Ok(Some(match self {
                Self::TryValidate => Plan::Repair(Policy::Null),
                Self::MakeValid => Plan::Repair(Policy::Replace),
                _ => Plan::Refuse,
            }));
        };
        let name = match policy.try_as_str() {
            Some(Some(name)) => name,
            _ if policy.is_null() => return Ok(None),
            _ => return plan_err!("the policy of {} is text, not {}", self.name(), policy.data_type()),
        };
        match Policy::by_name(name) {
            Some(policy) => Ok(Some(Plan::Repair(policy))),
            None => {
                let known = Policy::ALL
                    .iter()
                    .map(|known| format!("'{}'", known.name()))
                    .collect::<Vec<_>>()
                    .join(", ");
                plan_err!("{} does not know the policy '{name}'. It knows {known}", self.name())
            }
        }
    }

    /// Returns the type of what the function returns for an array of this type.
    fn return_type(self, data_type: &DataType, plan: Option<Plan>) -> DataType {
        match (self, data_type) {
            (Self::IsValid, _) => DataType::Boolean,
            (Self::Error, _) => DataType::Struct(rows::error_fields()),
            (_, DataType::Dictionary(_, values)) if matches!(plan, Some(Plan::Repair(Policy::Null))) => {
                text_type(values)
            }
            (_, DataType::Dictionary(keys, values)) => {
                DataType::Dictionary(keys.clone(), Box::new(text_type(values)))
            }
            (_, other) => text_type(other),
        }
    }

    fn evaluate(self, array: &ArrayRef, plan: Plan) -> Result<ArrayRef> {
        let dictionary = array.as_any_dictionary_opt();
        Ok(match (self, dictionary) {
            (Self::IsValid, None) => Arc::new(rows::is_valid(array)?),
            (Self::IsValid, Some(dictionary)) => dictionary::is_valid(dictionary)?,
            (Self::Error, None) => Arc::new(rows::errors(array)?),
            (Self::Error, Some(dictionary)) => dictionary::errors(dictionary)?,
            (_, None) => rows::text(array, plan)?,
            (_, Some(dictionary)) => dictionary::text(dictionary, plan)?,
        })
    }
}

/// Returns the type to which an argument of this type is cast, if the functions take it.
fn bytes_or_text(data_type: &DataType) -> Option<DataType> {
    match data_type {
        DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::FixedSizeBinary(_)
        | DataType::Utf8
        | DataType::LargeUtf8
        | DataType::Utf8View => Some(data_type.clone()),
        DataType::Dictionary(keys, values) => match bytes_or_text(values)? {
            values @ DataType::Dictionary(..) => Some(values),
            values => Some(DataType::Dictionary(keys.clone(), Box::new(values))),
        },
        DataType::Null | DataType::Boolean => Some(DataType::Utf8),
        other => other.is_primitive().then_some(DataType::Utf8),
    }
}

/// A function of DataFusion.
#[derive(PartialEq, Eq, Hash, Debug)]
pub(crate) struct Function {
    task: Task,
    signature: Signature,
}

impl Function {
    pub(crate) fn new(task: Task) -> Self {
        Self { task, signature: Signature::user_defined(Volatility::Immutable) }
    }
}

impl ScalarUDFImpl for Function {
    fn name(&self) -> &str {
        self.task.name()
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn documentation(&self) -> Option<&Documentation> {
        Some(&DOCUMENTATION[self.task as usize])
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        let name = self.name();
        let (column, policy) = match (types, self.task) {
            ([column], _) => (column, None),
            ([column, policy], Task::MakeValid) => (column, Some(policy)),
            (_, Task::MakeValid) => {
                return plan_err!("{name} takes one or two arguments, not {}", types.len());
            }
            _ => return plan_err!("{name} takes one argument, not {}", types.len()),
        };
        let Some(column) = bytes_or_text(column) else {
            return plan_err!("{name} takes bytes or text, not {column}");
        };
        match policy {
            None => Ok(vec![column]),
            // A cast would hide that it is a literal.
            Some(policy @ (DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null)) => {
                Ok(vec![column, policy.clone()])
            }
            Some(other) => plan_err!("the policy of {name} is text, not {other}"),
        }
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        internal_err!("the policy decides about the type: `return_field_from_args`")
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        let Some(column) = args.arg_fields.first() else { return internal_err!("no argument") };
        let plan = match args.scalar_arguments.get(1) {
            None => self.task.plan(None)?,
            Some(Some(policy)) => self.task.plan(Some(policy))?,
            Some(None) => return plan_err!("the policy of {} is a literal, not a column", self.name()),
        };
        let makes_nulls = match plan {
            None | Some(Plan::Repair(Policy::Null)) => true,
            Some(_) => self.task == Task::Error,
        };
        let data_type = self.task.return_type(column.data_type(), plan);
        Ok(Arc::new(Field::new(self.name(), data_type, makes_nulls || column.is_nullable())))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let plan = match args.args.get(1) {
            None => self.task.plan(None)?,
            Some(ColumnarValue::Scalar(policy)) => self.task.plan(Some(policy))?,
            Some(_) => return plan_err!("the policy of {} is a literal, not a column", self.name()),
        };
        let Some(plan) = plan else {
            return Ok(ColumnarValue::Scalar(ScalarValue::try_new_null(args.return_type())?));
        };
        match args.args.first() {
            Some(ColumnarValue::Array(array)) => Ok(ColumnarValue::Array(self.task.evaluate(array, plan)?)),
            Some(ColumnarValue::Scalar(value)) => {
                let array = self.task.evaluate(&value.to_array()?, plan)?;
                Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&array, 0)?))
            }
            None => internal_err!("no argument"),
        }
    }
}
