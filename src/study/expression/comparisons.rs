//! Comparisons of things that cannot be compared.
//!
//! minijinja puts any two values in order, those of different kinds by their kind: a
//! claim such as `reactivos.p > 0.9` would hold for ever, and `kr20 < '0.1'` never. Here
//! both sides of every comparison are looked at once more, by themselves.

use super::kind_name;
use super::names::deals_with_absence;
use minijinja::machinery::ast::{BinOpKind, CallArg, CompareOpKind, Expr};
use minijinja::machinery::{CodeGenerator, eval, make_string_output, parse_expr};
use minijinja::value::ValueKind;
use minijinja::{AutoEscape, Environment, Error, ErrorKind, Value};

/// A comparison: both sides, and whether it asks for their order or only whether they
/// are equal.
struct Comparison<'a, 'b> {
    sides: [&'a Expr<'b>; 2],
    ordered: bool,
}

/// Refuses an expression that compares what cannot be compared; otherwise, whether
/// every comparison could be judged. A side that cannot be evaluated by itself says
/// nothing, because another part of the expression may guard it, nor does an absent
/// datum in an expression that deals with absence.
pub(super) fn check<'a>(
    environment: &'a Environment<'a>,
    text: &'a str,
    context: &Value,
) -> Result<bool, Error> {
    if !text.contains(['<', '>', '=']) {
        return Ok(true);
    }
    let deals_with_absence = deals_with_absence(text);
    let mut judged = true;
    let expression = parse_expr(text)?;
    let mut all = vec![];
    collect(&expression, &mut all);
    for Comparison { sides, ordered } in all {
        let kinds = sides.map(|side| Some(value(environment, text, side, context)?.kind()));
        let (Some(left), Some(right)) = (kinds[0], kinds[1]) else {
            judged = false;
            continue;
        };
        let is_absent = |(side, kind): (&Expr<'_>, ValueKind)| {
            kind == ValueKind::None && !matches!(side, Expr::Const(_))
        };
        let absent = [(sides[0], left), (sides[1], right)].into_iter().any(is_absent);
        if deals_with_absence && absent {
            judged = false;
        } else if !comparable(left, right, ordered) {
            let (left, right) = (kind_name(left), kind_name(right));
            let message = format!("no se pueden comparar {left} y {right}");
            return Err(Error::new(ErrorKind::InvalidOperation, message));
        }
    }
    Ok(judged)
}

/// What a part of an expression gives by itself.
fn value<'a>(
    environment: &'a Environment<'a>,
    text: &'a str,
    part: &Expr<'a>,
    context: &Value,
) -> Option<Value> {
    let mut code = CodeGenerator::new("<expression>", text);
    code.compile_expr(part);
    let (instructions, blocks) = code.finish();
    let mut nothing = String::new();
    let mut out = make_string_output(&mut nothing);
    let given =
        eval(environment, &instructions, context.clone(), &blocks, &mut out, AutoEscape::None);
    given.ok()?.0
}

/// Numbers with numbers, truths counting as 0 and 1, and texts with texts; anything
/// with its like, or with an absent datum, for equality.
fn comparable(left: ValueKind, right: ValueKind, ordered: bool) -> bool {
    use ValueKind::{Bool, Invalid, None, Number, String, Undefined};
    match (left, right) {
        // These raise their own fault.
        (Invalid | Undefined, _) | (_, Invalid | Undefined) => true,
        (Number | Bool, Number | Bool) | (String, String) => true,
        (None, _) | (_, None) => !ordered,
        _ => !ordered && left == right,
    }
}

fn collect<'a, 'b>(expression: &'a Expr<'b>, all: &mut Vec<Comparison<'a, 'b>>) {
    let mut inside: Vec<&'a Expr<'b>> = vec![];
    match expression {
        Expr::Compare(compare) => {
            let mut left = &compare.expr;
            inside.push(left);
            for next in &compare.ops {
                let ordered = match next.op {
                    CompareOpKind::Eq | CompareOpKind::Ne => Some(false),
                    CompareOpKind::In | CompareOpKind::NotIn => None,
                    _ => Some(true),
                };
                let sides = [left, &next.expr];
                all.extend(ordered.map(|ordered| Comparison { sides, ordered }));
                left = &next.expr;
                inside.push(left);
            }
        }
        Expr::BinOp(op) => {
            let ordered = match op.op {
                BinOpKind::Eq | BinOpKind::Ne => Some(false),
                BinOpKind::Lt | BinOpKind::Lte | BinOpKind::Gt | BinOpKind::Gte => Some(true),
                _ => None,
            };
            let sides = [&op.left, &op.right];
            all.extend(ordered.map(|ordered| Comparison { sides, ordered }));
            inside.extend(sides);
        }
        Expr::UnaryOp(op) => inside.push(&op.expr),
        Expr::IfExpr(choice) => {
            inside.extend([&choice.test_expr, &choice.true_expr]);
            inside.extend(&choice.false_expr);
        }
        Expr::Filter(filter) => {
            inside.extend(&filter.expr);
            inside.extend(filter.args.iter().map(argument));
        }
        Expr::Call(call) => inside.extend(call.args.iter().map(argument)),
        Expr::Test(test) => inside.push(&test.expr),
        Expr::GetAttr(attribute) => inside.push(&attribute.expr),
        Expr::GetItem(item) => inside.extend([&item.expr, &item.subscript_expr]),
        Expr::List(list) => inside.extend(&list.items),
        Expr::Var(_) | Expr::Const(_) | Expr::Slice(_) | Expr::Tuple(_) | Expr::Map(_) => {}
    }
    inside.into_iter().for_each(|one| collect(one, all));
}

fn argument<'a, 'b>(argument: &'a CallArg<'b>) -> &'a Expr<'b> {
    match argument {
        CallArg::Pos(one) | CallArg::PosSplat(one) | CallArg::KwargSplat(one) => one,
        CallArg::Kwarg(_, one) => one,
    }
}

#[cfg(test)]
mod tests {
    use super::super::Engine;

    fn message(text: &str) -> Option<String> {
        Engine::new().eval(text, &Default::default()).err().map(|fault| fault.message)
    }

    #[test]
    fn things_of_different_kinds_are_not_compared() {
        let expected = "no se pueden comparar un texto y un número";
        assert_eq!(message("'0.1' < 0.5").as_deref(), Some(expected));
        for text in [
            "[1, 2] > 0",
            "none < 3",
            "'1' == 1",
            "[1] < [2]",
            "true and not ('a' > 1)",
            "1 < 2 < '3'",
            "1 if 'a' < 1 else 2",
            "(['b', 'a'] | length) > 'x'",
        ] {
            assert!(message(text).is_some_and(|text| text.contains("no se pueden")), "{text}");
        }
    }

    #[test]
    fn things_of_a_kind_are() {
        for text in [
            "1 < 2.5 < 3",
            "'a' < 'b'",
            "true == 1",
            "none == 1",
            "'a' != none",
            "[1] == [1]",
            "'a' in ['a', 1]",
            "1 + 2 > 2 and (3 - 1) * 2 >= 4",
        ] {
            assert_eq!(message(text), None, "{text}");
        }
    }
}
