import { failureText, splitReason } from '../../client/texts/describe-codes.ts';
import { language, text } from '../messages/messages.ts';

type FailureReasonProps = {
  /** `CODE: sentence`, or a sentence alone. */
  reason: string;
  /** Texts of codes that mean something particular here. */
  causes?: Readonly<Record<string, string>>;
};

/**
 * Why something failed: the text of its code, and the service's sentence, which has the particulars. It is English, so
 * users of other languages see it on demand.
 */
export function FailureReason({ reason, causes = {} }: FailureReasonProps) {
  const { code, sentence } = splitReason(reason);
  const { codes, errors } = text.value;
  if (code === undefined) {
    const worded = failureText(codes, reason);
    return <p {...(worded === sentence && { lang: 'en' })}>{worded}</p>;
  }
  return (
    <div class="failure">
      <p>{causes[code] ?? failureText(codes, reason)}.</p>
      {language.value === 'en' ? (
        <p>
          {sentence} <code>{code}</code>
        </p>
      ) : (
        <details>
          <summary>{errors.ofService}</summary>
          <p lang="en">
            {sentence} <code>{code}</code>
          </p>
        </details>
      )}
    </div>
  );
}
