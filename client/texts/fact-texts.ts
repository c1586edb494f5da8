/** What a decision is about, by name. */
export type Facts = Readonly<Record<string, Fact | Fact[]>>;
type Fact = string | number | boolean;

/** Facts in sentences of a language. A missing fact is an error: another version of the service may not send it. */
export const factTexts = (language: string) => {
  const one = (fact: Facts[string] | undefined): string => {
    if (fact === undefined) throw new RangeError('a fact is missing');
    const value = Array.isArray(fact) ? fact[0] : fact;
    return typeof value === 'number' ? value.toLocaleString(language) : String(value);
  };
  return {
    one,
    list: (fact: Facts[string] | undefined): string =>
      Array.isArray(fact) ? new Intl.ListFormat(language).format(fact.map(one)) : one(fact),
    isOne: (fact: Facts[string] | undefined): boolean => !Array.isArray(fact) || fact.length === 1,
    /** The word for a fact that is one of a few. */
    word: (words: Readonly<Record<string, string>>, fact: Facts[string] | undefined): string =>
      one(words[String(fact)]),
  };
};
