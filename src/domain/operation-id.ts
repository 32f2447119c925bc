/** What an operation may be called: it stands in commands that are told to be typed, and may come from somebody else. */
export const operationId = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/
