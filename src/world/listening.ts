import { readFileSync } from 'node:fs'

import type { ServeOptions } from '../cli/serving.ts'
import { AppError } from '../domain/errors.ts'
import { listing } from '../domain/shell.ts'

/** The text of a certificate or of its key. */
export function pem(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new AppError('CONFIG_INVALID', `${path} cannot be read`, {
      cause,
      hint: listing(path),
    })
  }
}

/** A port or a certificate that cannot be used is a setting to be changed. */
export async function listens<value>(
  work: () => Promise<value>,
  { host, port }: ServeOptions,
): Promise<value> {
  try {
    return await work()
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException
    if (code === 'EADDRINUSE')
      throw new AppError('CONFIG_INVALID', `Port ${port} of ${host} is taken`, {
        cause,
        hint: 'sluice serve --port 0',
      })
    if (code === 'EACCES')
      throw new AppError('CONFIG_INVALID', `Port ${port} of ${host} is not for this user`, {
        cause,
        hint: 'sluice serve --port 8080',
      })
    if (['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'].includes(code))
      throw new AppError('CONFIG_INVALID', `${host} is not an address of this machine`, {
        cause,
        hint: 'sluice serve --host 127.0.0.1',
      })
    if (code.startsWith('ERR_OSSL') || code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS'))
      throw new AppError('CONFIG_INVALID', 'The certificate and the key cannot be used together', {
        cause,
        hint: 'Both are PEM files, the key without a password.',
      })
    throw cause
  }
}
