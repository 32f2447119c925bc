/**
 * Takes from a foreign string all that could move a cursor, change a colour or turn the direction of writing,
 * so that it can stand in a terminal or a log line.
 */
export const plain = (foreign: string): string =>
  foreign.replace(
    /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    '',
  )
