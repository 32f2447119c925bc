import { sanitizeText } from './terminal-sanitizing.ts'

/**
 * Quotes a foreign word for a shell, if it needs quotes. Characters that a terminal hides or acts on are written in
 * octal (`$'...'`: POSIX 2024, bash, zsh, ksh).
 */
export function shellWord(word: string): string {
  // zsh expands a word that begins with "=" to the path of a command.
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

/**
 * Quotes a foreign word as a positional argument. One that begins with a dash follows `--`, so it must be the last
 * argument of its line.
 */
export const shellOperand = (word: string): string => `${word.startsWith('-') ? '-- ' : ''}${shellWord(word)}`

/** Returns the command that shows whether a file exists, and its owner. */
export function listFileCommand(path: string): string {
  const directory = /^(.*)\//s.exec(path)?.[1] ?? '.'
  return `ls -l ${shellPath(directory === '' ? '/' : directory)}`
}

/** Quotes a path so that no command takes it for a flag; `-` alone is standard input and stays. */
export const shellPath = (path: string): string => shellWord(/^-./s.test(path) ? `./${path}` : path)
