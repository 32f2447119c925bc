import { sanitizeText } from './terminal-sanitizing.ts'

/**
 * A foreign word as a shell reads it back: bare where nothing in it means anything to a shell, else in quotes. What a terminal would not show,
 * or would act upon, is written in octal (`$'...'`: POSIX 2024, bash, zsh, ksh).
 */
export function shellWord(word: string): string {
  // A word that begins with "=" is a command's path to zsh.
  if (/^(?!=)[\w@%+=:,./-]+$/.test(word)) return word
  if (sanitizeText(word) === word) return `'${word.replaceAll("'", String.raw`'\''`)}'`
  const written = [...word].map((one) =>
    sanitizeText(one) === one && !/['\\!]/.test(one)
      ? one
      : [...new TextEncoder().encode(one)].map(octal).join(''),
  )
  return `$'${written.join('')}'`
}

const octal = (byte: number): string => `\\${byte.toString(8).padStart(3, '0')}`

/** A foreign word in the place of an argument: one that begins with a dash stands behind `--`, so that it is no flag. It has to be the last of its line, then. */
export const shellOperand = (word: string): string => `${word.startsWith('-') ? '-- ' : ''}${shellWord(word)}`

/** What shows whether a file is there, and whose it is. */
export function listFileCommand(path: string): string {
  const directory = /^(.*)\//s.exec(path)?.[1] ?? '.'
  return `ls -l ${shellPath(directory === '' ? '/' : directory)}`
}

/** A path, which no command takes for a flag; `-` alone is standard input, and stays. */
export const shellPath = (path: string): string => shellWord(/^-./s.test(path) ? `./${path}` : path)
