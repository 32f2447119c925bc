import { userInfo } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'

/** Where the program keeps its files (XDG base directories); SLUICE_HOME puts all three under one. */
export type Directories = { config: string; data: string; cache: string }

/** The configuration, data and cache directories, from the environment. */
export function directories(env: Readonly<Record<string, string | undefined>>): Directories {
  if (env.SLUICE_HOME) {
    const home = resolve(env.SLUICE_HOME)
    return { config: join(home, 'config'), data: join(home, 'data'), cache: join(home, 'cache') }
  }
  // An empty or relative HOME would put the journal wherever the program was started.
  const home = env.HOME && isAbsolute(env.HOME) ? env.HOME : userInfo().homedir
  // The XDG Base Directory Specification requires to ignore a relative path here.
  const given = (path: string | undefined) => (path && isAbsolute(path) ? path : undefined)
  return {
    config: join(given(env.XDG_CONFIG_HOME) ?? join(home, '.config'), 'sluice'),
    data: join(given(env.XDG_DATA_HOME) ?? join(home, '.local', 'share'), 'sluice'),
    cache: join(given(env.XDG_CACHE_HOME) ?? join(home, '.cache'), 'sluice'),
  }
}
