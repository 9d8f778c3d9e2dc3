import { bench } from 'vitest'
import ELK from 'elkjs/lib/elk.bundled.js'
import { graphOf } from './layout'

// A graph of 100 nodes in ten layers, each after two of the layer before: as the worker of a page lays it out.
const nodes = Array.from({ length: 100 }, (_, i) => ({ id: `n${i}`, after: i < 10 ? [] : [i - 10, i - 10 + (i % 10 < 9 ? 1 : -9)].map((n) => `n${n}`) }))

bench('lay out 100 nodes', async () => {
  await new ELK().layout(graphOf(nodes))
})
