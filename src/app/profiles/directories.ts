import { userInfo } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { AppError } from '../../domain/errors.ts'

/** Where the program keeps its files (XDG base directories); SLUICE_HOME puts all three under one. */
export type Directories = { config: string; data: string; cache: string }

/** The configuration, data and cache directories, from the environment. STATE_UNUSABLE if it names none and the user has no home. */
export function directories(env: Readonly<Record<string, string | undefined>>): Directories {
  if (env.SLUICE_HOME) {
    const home = resolve(env.SLUICE_HOME)
    return { config: join(home, 'config'), data: join(home, 'data'), cache: join(home, 'cache') }
  }
  // An empty or relative HOME would put the journal wherever the program was started.
  const home = env.HOME && isAbsolute(env.HOME) ? env.HOME : homeOfUser()
  // The XDG Base Directory Specification requires to ignore a relative path here.
  const given = (path: string | undefined) => (path && isAbsolute(path) ? path : undefined)
  return {
    config: join(given(env.XDG_CONFIG_HOME) ?? join(home, '.config'), 'sluice'),
    data: join(given(env.XDG_DATA_HOME) ?? join(home, '.local', 'share'), 'sluice'),
    cache: join(given(env.XDG_CACHE_HOME) ?? join(home, '.cache'), 'sluice'),
  }
}

/** The home directory in the system's list of users; a user of a container often has no entry there. */
function homeOfUser(): string {
  let home = ''
  try {
    home = userInfo().homedir
  } catch {
    // The error of the system only says that there is no entry.
  }
  if (isAbsolute(home)) return home
  throw new AppError('STATE_UNUSABLE', 'This user has no home directory, and HOME is not set', {
    next: 'export SLUICE_HOME=/path/to/a/directory/of/yours',
  })
}
