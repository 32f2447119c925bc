import { execFileSync } from 'node:child_process'

/** Makes a certificate for localhost that is its own authority, and its key, in these files. Throws without openssl. */
export function selfSignedCertificate(certificate: string, key: string): void {
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  execFileSync('openssl', ['req', '-x509', ...curve, ...name, '-keyout', key, '-out', certificate], {
    stdio: 'ignore',
  })
}
