type Env = Readonly<Record<string, string | undefined>>

/** How a stream may be painted. */
export type Palette = { noColor: boolean; env: Env; isTerminal: boolean }

const isSaid = (value: string | undefined): boolean => value !== undefined && value !== ''

/**
 * The one switch of all colours, links included. They are for terminals that know them, unless `--no-color` or `NO_COLOR` says otherwise;
 * nothing forces them into a pipe, where somebody else reads.
 */
export function isPainted({ noColor, env, isTerminal }: Palette): boolean {
  if (noColor || isSaid(env.NO_COLOR)) return false
  return isTerminal && env.TERM !== 'dumb' && env.CLICOLOR !== '0'
}

/** Tells the libraries that look at the environment by themselves (the questions, the spinner) what the switch says. */
export function tellLibraries(env: Record<string, string | undefined>, isOn: boolean): void {
  delete env.FORCE_COLOR
  delete env.CLICOLOR_FORCE
  if (!isOn) env.NO_COLOR = '1'
}

/** Whether a terminal shows more than ASCII: a locale of UTF-8, and a terminal that is one. On Windows every one in use does. */
export function hasUnicode(env: Env, platform: string = process.platform): boolean {
  if (env.TERM === 'dumb' || env.TERM === 'linux') return false
  if (platform === 'win32') return true
  const locale = [env.LC_ALL, env.LC_CTYPE, env.LANG].find(isSaid)
  return /utf-?8/i.test(locale ?? '')
}
