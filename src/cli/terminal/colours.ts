type Env = Readonly<Record<string, string | undefined>>

/** How a stream may be painted. */
export type Palette = { noColor: boolean; env: Env; isTerminal: boolean }

const isSaid = (value: string | undefined): boolean => value !== undefined && value !== ''

/**
 * The one switch of all colours, links included. `--no-color` and `NO_COLOR` win over everything; then whoever forces colours gets
 * them in a pipe, too (`CLICOLOR_FORCE` as gh has it, `FORCE_COLOR` as chalk has it); else they are for terminals that know them.
 */
export function isPainted({ noColor, env, isTerminal }: Palette): boolean {
  if (noColor || isSaid(env.NO_COLOR)) return false
  if (isSaid(env.CLICOLOR_FORCE) && env.CLICOLOR_FORCE !== '0') return true
  if (env.FORCE_COLOR !== undefined) return !['0', 'false'].includes(env.FORCE_COLOR)
  return isTerminal && env.TERM !== 'dumb' && env.CLICOLOR !== '0'
}

/** Tells the libraries that look at the environment by themselves (the questions, the spinner) what the switch says. */
export function tellLibraries(env: Record<string, string | undefined>, isOn: boolean): void {
  if (isOn) return
  delete env.FORCE_COLOR
  delete env.CLICOLOR_FORCE
  env.NO_COLOR = '1'
}

/** Whether a terminal shows more than ASCII: a locale of UTF-8, and a terminal that is one. On Windows every one in use does. */
export function hasUnicode(env: Env, platform: string = process.platform): boolean {
  if (env.TERM === 'dumb' || env.TERM === 'linux') return false
  if (platform === 'win32') return true
  const locale = [env.LC_ALL, env.LC_CTYPE, env.LANG].find(isSaid)
  return /utf-?8/i.test(locale ?? '')
}
