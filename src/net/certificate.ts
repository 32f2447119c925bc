/** What is wrong with a certificate, by the codes of OpenSSL that Node passes on (nodejs.org/api/tls.html, X509 certificate error codes). */
const flaws: Readonly<Record<string, string>> = {
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'who signed it is not known here',
  UNABLE_TO_GET_ISSUER_CERT: 'who signed it is not known here',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'who signed it is not known here',
  CERT_UNTRUSTED: 'who signed it is not trusted here',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it is signed by itself',
  SELF_SIGNED_CERT_IN_CHAIN: 'who signed it is known to nobody but itself',
  ERR_TLS_CERT_ALTNAME_INVALID: 'it is for another host',
  HOSTNAME_MISMATCH: 'it is for another host',
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not valid yet',
  CERT_REVOKED: 'it was revoked',
  CERT_REJECTED: 'it is rejected',
  CERT_CHAIN_TOO_LONG: 'its chain is too long',
  CERT_SIGNATURE_FAILURE: 'its signature is wrong',
  INVALID_CA: 'who signed it may not sign',
  INVALID_PURPOSE: 'it is not for a server',
}

/** What is wrong with the certificate where that is why a connection failed, in words; otherwise `undefined`. */
export function certificateFlaw(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as NodeJS.ErrnoException
    if (code !== undefined && Object.hasOwn(flaws, code)) return `${flaws[code]} (${code})`
  }
  return undefined
}
