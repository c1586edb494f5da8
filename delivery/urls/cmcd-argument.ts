/** The longest value that a log line has. Players send a few hundred characters. */
const longestCharacters = 2000;

/** The token of a signed URL, in which nothing needs encoding: a value that names other files may contain one. */
const token = '\\.[0-9]{1,12}\\.[A-Za-z0-9_-]{1,32}\\.[A-Za-z0-9_-]{43}';

/**
 * The query argument `CMCD`, by which players say how playback is going (CTA-5004), as received. Only what a query may
 * contain, so that the value needs no escaping in a log, and no token, since a token gives access to a video. nginx
 * uses the same expression in its configuration, hence the group name and the code of the apostrophe.
 */
export const cmcdArgument = new RegExp(
  `[?&]CMCD=(?![^&]*${token})(?<url_cmcd>[A-Za-z0-9%._~!$\\x27()*+,;:@/?=-]{1,${longestCharacters}})(&|$)`,
);
