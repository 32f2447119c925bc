import { homedir } from 'node:os'
import { join } from 'node:path'

/** Where the program keeps its files (XDG base directories); SLUICE_HOME puts all three under one. */
export type Directories = { config: string; data: string; cache: string }

/** The directories that the environment asks for. */
export function directories(env: Readonly<Record<string, string | undefined>>): Directories {
  if (env.SLUICE_HOME)
    return {
      config: join(env.SLUICE_HOME, 'config'),
      data: join(env.SLUICE_HOME, 'data'),
      cache: join(env.SLUICE_HOME, 'cache'),
    }
  const home = env.HOME || homedir()
  return {
    config: join(env.XDG_CONFIG_HOME || join(home, '.config'), 'sluice'),
    data: join(env.XDG_DATA_HOME || join(home, '.local', 'share'), 'sluice'),
    cache: join(env.XDG_CACHE_HOME || join(home, '.cache'), 'sluice'),
  }
}
