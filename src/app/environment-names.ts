type Env = Readonly<Record<string, string | undefined>>

/**
 * The environment under the names that the program asks for. Windows does not tell `Path` from `PATH`, but only `process.env` itself knows
 * that, and no copy of it.
 */
export const withKnownNames = (env: Env): Env =>
  process.platform === 'win32'
    ? Object.fromEntries(Object.entries(env).map(([name, value]) => [name.toUpperCase(), value]))
    : env
