// Keys for answers: what is typed for one can never mean another one.

const NUMBER = /^-?\d+$/;
const WITH_NUMBER = /(?<![\p{L}\d_-])\d/u;
const LETTERS = "abcdefghijklmnopqrstuvwxyz";

// The key of each answer, "" for none: its place in the list; the number itself where answers are
// numbers; letters where a number stands in their words.
export function labels(answers) {
  const texts = answers.map((each) => each.text);
  if (texts.some((each) => NUMBER.test(each))) return texts.map((each) => (/^\d$/.test(each) ? each : ""));
  const numbered = answers.some((each) => WITH_NUMBER.test(each.text) || WITH_NUMBER.test(each.hint ?? ""));
  return texts.map((_, place) => (numbered ? LETTERS[place] ?? "" : place < 9 ? `${place + 1}` : LETTERS[place - 9] ?? ""));
}
