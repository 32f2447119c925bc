/** The environment variable with the RPC URLs of the network of this name; without one, with a placeholder for it. */
export const rpcVariableOf = (name: string | undefined): string =>
  `SLUICE_RPC_${name === undefined ? '<NETWORK>' : name.toUpperCase().replaceAll('-', '_')}`
