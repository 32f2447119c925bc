import type { Option } from 'commander'

/** Makes a parser of an option that tries its value when the line is read, before anybody is asked for anything; the text stays as it was typed. */
export const checked =
  (read: (text: string) => unknown) =>
  (text: string): string => {
    read(text)
    return text
  }

/** The same for an option that may stand several times, which its description tells by `gathers`. */
export const eachChecked = (read: (text: string) => unknown) =>
  Object.assign(
    (text: string, before: string[] = []): string[] => {
      read(text)
      return [...before, text]
    },
    { gathers: true },
  )

/** Whether a flag gathers the values of all the times that it is given. */
export const repeatable = ({ variadic, parseArg }: Option): boolean =>
  variadic || (parseArg !== undefined && 'gathers' in parseArg)
