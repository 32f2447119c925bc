import packageJson from '../../package.json' with { type: 'json' }

/** The version of the program. A build has it inside, because a bundle may lie anywhere. */
export const programVersion: string = packageJson.version
