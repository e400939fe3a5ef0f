//! The functions, as DataFusion's trait.

#![forbid(unsafe_code)]

use std::sync::{Arc, LazyLock};

use datafusion::arrow::array::ArrayRef;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::{DataFusionError, Result, ScalarValue, internal_err, plan_datafusion_err, plan_err};
use datafusion::logical_expr::scalar_doc_sections::DOC_SECTION_STRING;
use datafusion::logical_expr::{
    ColumnarValue, Documentation, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};
use trust8_columns::Policy;
use trust8_profile::Profile;

use crate::rows::{self, Plan, text_type};

/// The functions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Task {
    IsValid,
    MakeValid,
    Validate,
    TryValidate,
    Error,
    ProfileError,
}

/// The arguments after the column.
#[derive(Clone, Copy)]
struct Meaning {
    plan: Plan,
    profile: Profile,
}

/// The documentation of each [`Function`] for `information_schema`, in the order of [`Task::ALL`].
static DOCUMENTATION: LazyLock<[Documentation; 6]> = LazyLock::new(|| {
    Task::ALL.map(|task| {
        let (description, syntax) = task.description();
        let documentation = Documentation::builder(DOC_SECTION_STRING, description, syntax)
            .with_argument("col", "A value of bytes or text.");
        let profile =
            "A literal: the characters to allow, such as 'xml', 'postgres', 'terminal' or 'source'.";
        match task {
            Task::MakeValid => documentation
                .with_argument(
                    "policy",
                    "A literal: 'replace' (the default), 'java', 'drop', 'null', 'escape' or 'windows-1252'.",
                )
                .with_argument("profile", profile),
            Task::ProfileError => documentation.with_argument("profile", profile),
            _ => documentation,
        }
        .build()
    })
});

impl Task {
    pub(crate) const ALL: [Self; 6] =
        [Self::IsValid, Self::MakeValid, Self::Validate, Self::TryValidate, Self::Error, Self::ProfileError];

    fn name(self) -> &'static str {
        match self {
            Self::IsValid => "is_valid_utf8",
            Self::MakeValid => "make_valid_utf8",
            Self::Validate => "validate_utf8",
            Self::TryValidate => "try_validate_utf8",
            Self::Error => "utf8_error",
            Self::ProfileError => "utf8_profile_error",
        }
    }

    fn description(self) -> (&'static str, &'static str) {
        match self {
            Self::IsValid => ("Returns whether a value is UTF-8.", "is_valid_utf8(col)"),
            Self::MakeValid => (
                "Returns a value as text, and repairs it if it is not UTF-8.",
                "make_valid_utf8(col[, policy[, profile]])",
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
            Self::ProfileError => (
                "Returns what is wrong with a value that is not UTF-8 or has a character that the profile forbids, as utf8_error does.",
                "utf8_profile_error(col, profile)",
            ),
        }
    }

    /// Parses the arguments after the column. Returns `None` if one of them is null. They must be literals.
    fn meaning(self, literals: &[Option<&ScalarValue>]) -> Result<Option<Meaning>> {
        let mut literals = literals.iter();
        let (policy, profile) = match self {
            Self::ProfileError => (None, literals.next()),
            _ => (literals.next(), literals.next()),
        };
        let mut meaning = Meaning { plan: Plan::Refuse, profile: Profile::SCALARS };
        let mut chosen = Policy::Replace;
        if let Some(policy) = policy {
            let Some(name) = self.literal("policy", *policy)? else { return Ok(None) };
            let known = Policy::ALL.iter().map(|known| known.name());
            chosen = Policy::by_name(name).ok_or_else(|| self.unknown("policy", name, known))?;
        }
        if let Some(profile) = profile {
            let Some(name) = self.literal("profile", *profile)? else { return Ok(None) };
            let known = Profile::PRESETS.iter().map(|preset| preset.0);
            meaning.profile = Profile::by_name(name).ok_or_else(|| self.unknown("profile", name, known))?;
        }
        match self {
            Self::TryValidate => meaning.plan = Plan::Repair(Policy::Null),
            Self::MakeValid => meaning.plan = Plan::Repair(chosen),
            _ => {}
        }
        Ok(Some(meaning))
    }

    /// Returns the text of a literal, or `None` if it is null. `None` means a column.
    fn literal<'a>(self, what: &str, value: Option<&'a ScalarValue>) -> Result<Option<&'a str>> {
        match value {
            None => plan_err!("the {what} of {} is a literal, not a column", self.name()),
            Some(value) => match value.try_as_str() {
                Some(Some(text)) => Ok(Some(text)),
                _ if value.is_null() => Ok(None),
                _ => plan_err!("the {what} of {} is text, not {}", self.name(), value.data_type()),
            },
        }
    }

    fn unknown<'a>(self, what: &str, name: &str, known: impl Iterator<Item = &'a str>) -> DataFusionError {
        let known = known.map(|known| format!("'{known}'")).collect::<Vec<_>>().join(", ");
        plan_datafusion_err!("{} does not know the {what} '{name}'. It knows {known}", self.name())
    }

    /// Returns the type of the function's result for an array of this type.
    fn return_type(self, data_type: &DataType, plan: Option<Plan>) -> DataType {
        match (self, data_type) {
            (Self::IsValid, _) => DataType::Boolean,
            (Self::Error | Self::ProfileError, _) => DataType::Struct(rows::error_fields()),
            (_, DataType::Dictionary(_, values)) if plan == Some(Plan::Repair(Policy::Null)) => {
                text_type(values)
            }
            (_, DataType::Dictionary(keys, values)) => {
                DataType::Dictionary(keys.clone(), Box::new(text_type(values)))
            }
            (_, other) => text_type(other),
        }
    }

    fn evaluate(self, array: &ArrayRef, Meaning { plan, profile }: Meaning) -> Result<ArrayRef> {
        match self {
            Self::IsValid => rows::is_valid(array),
            Self::Error | Self::ProfileError => rows::errors(array, &profile),
            _ => rows::text(array, plan, &profile),
        }
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
        let (takes, literals): (&str, &[&str]) = match self.task {
            Task::MakeValid => ("one to three arguments", &["policy", "profile"]),
            Task::ProfileError => ("two arguments", &["profile"]),
            _ => ("one argument", &[]),
        };
        let Some((column, given)) = types.split_first() else {
            return plan_err!("{name} takes {takes}, not 0");
        };
        if given.len() > literals.len() || (self.task == Task::ProfileError && given.is_empty()) {
            return plan_err!("{name} takes {takes}, not {}", types.len());
        }
        let Some(column) = bytes_or_text(column) else {
            return plan_err!("{name} takes bytes or text, not {column}");
        };
        let mut coerced = vec![column];
        for (literal, what) in given.iter().zip(literals) {
            match literal {
                // A cast would hide that it is a literal.
                DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null => {
                    coerced.push(literal.clone());
                }
                other => return plan_err!("the {what} of {name} is text, not {other}"),
            }
        }
        Ok(coerced)
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        internal_err!("the policy decides about the type: `return_field_from_args`")
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        let Some(column) = args.arg_fields.first() else { return internal_err!("no argument") };
        let plan = self.task.meaning(&args.scalar_arguments[1..])?.map(|meaning| meaning.plan);
        let makes_nulls = match plan {
            None | Some(Plan::Repair(Policy::Null)) => true,
            Some(_) => matches!(self.task, Task::Error | Task::ProfileError),
        };
        let data_type = self.task.return_type(column.data_type(), plan);
        Ok(Arc::new(Field::new(self.name(), data_type, makes_nulls || column.is_nullable())))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let literals = args.args.iter().skip(1).map(|argument| match argument {
            ColumnarValue::Scalar(value) => Some(value),
            ColumnarValue::Array(_) => None,
        });
        let Some(meaning) = self.task.meaning(&literals.collect::<Vec<_>>())? else {
            return Ok(ColumnarValue::Scalar(ScalarValue::try_new_null(args.return_type())?));
        };
        match args.args.first() {
            Some(ColumnarValue::Array(array)) => {
                Ok(ColumnarValue::Array(self.task.evaluate(array, meaning)?))
            }
            Some(ColumnarValue::Scalar(value)) => {
                let array = self.task.evaluate(&value.to_array()?, meaning)?;
                Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&array, 0)?))
            }
            None => internal_err!("no argument"),
        }
    }
}
