import { Command } from 'commander'

import type { World } from '../cli/world.ts'

/** `demo`: the main job. */
export const demo = (_world: World) => new Command('demo')
