import type { Component } from '../answers/application'
import type { Spec } from '../answers/explanation'
import type { Step, StepRun } from '../answers/run'
import type { GraphNode } from '../graph/node'
import { counted, stateOf, toneOf } from '../parts/state'

// componentNodes are the components of a spec as nodes of a graph.
export function componentNodes(spec: Spec, seen: Component[]): GraphNode[] {
  const names = new Set(spec.components.map((c) => c.name))
  return spec.components.map((c) => {
    const s = seen.find((x) => x.name === c.name)
    return {
      id: c.name,
      after: (c.dependsOn ?? []).filter((d) => names.has(d)),
      title: c.name,
      kind: c.type,
      word: s?.state ?? 'configuration',
      tone: s ? stateOf(s) : 'off',
      lines: s
        ? [s.ended ? '' : (counted(s) ? `${s.ready} ready of ` : '') + `${s.granted} granted, ${s.asked} asked`, shortImage(s.images?.[0])].filter((l) => l !== '')
        : [],
    }
  })
}

// stepNodes are the steps of a workflow as nodes of a graph.
export function stepNodes(steps: Step[], run: StepRun[]): GraphNode[] {
  const names = new Set(steps.map((s) => s.name))
  return steps.map((s) => {
    const r = run.find((x) => x.name === s.name)
    return {
      id: s.name,
      after: (s.dependsOn ?? []).filter((d) => names.has(d)),
      title: s.name,
      kind: s.type,
      word: r?.phase ?? 'pending',
      tone: toneOf(r?.phase ?? 'pending'),
      lines: [attempt(s, r), s.if ? `if ${s.if}` : ''].filter((l) => l !== ''),
    }
  })
}

function attempt(s: Step, r: StepRun | undefined): string {
  const most = s.retry?.attempts ?? 1
  return r?.attempt ? `attempt ${r.attempt}${most > 1 ? ` of ${most}` : ''}` : ''
}

// shortImage leaves out the registry and the digest of an image.
export function shortImage(image: string | undefined): string {
  if (!image) return ''
  const name = image.replace(/@sha256:.*$/, '')
  return name.slice(name.lastIndexOf('/') + 1)
}
