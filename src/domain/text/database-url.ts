import { AppError } from '../errors.ts'

/** Whether a text is meant as the URL of a PostgreSQL database. */
export const isPostgresUrl = (text: string): boolean => /^postgres(ql)?:/i.test(text)

/** Where the password of a database may be instead. */
const passwordHint =
  'Put the URL into SLUICE_DATABASE_URL, or the password alone into a file of mode 0600 that SLUICE_DATABASE_PASSWORD_FILE names.'

/**
 * INSECURE_KEY_SOURCE for the URL of a database with a password where others can read it, such as a command line. The error does not repeat it.
 */
export function refuseDatabasePassword(url: string, where: string): void {
  // Also as libpq's keywords, which are not accepted at all.
  const hasPassword =
    (isPostgresUrl(url) && /^[a-z]+:\/\/[^/?#@]*:.*@/i.test(url)) || /password\s*=/i.test(url)
  if (hasPassword)
    throw new AppError('INSECURE_KEY_SOURCE', `A password of a database is not accepted ${where}`, {
      next: passwordHint,
    })
}
