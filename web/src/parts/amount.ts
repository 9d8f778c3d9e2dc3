const suffixes: Record<string, number> = {
  m: 1e-3, '': 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18,
  Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60,
}

// parseAmount reads an amount as a fleet writes it, such as 500m, 2Gi or 40, NaN if it is none.
export function parseAmount(text: string | undefined): number {
  const m = /^\s*(-?\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*$/.exec(text ?? '')
  const factor = suffixes[m?.[2] ?? 'none']
  return m && factor !== undefined ? Number(m[1]) * factor : NaN
}

// cpu writes milli-CPU as people read them: "4.5", "250m".
export function cpu(milli: number): string {
  return milli % 1000 === 0 || milli >= 1000 ? String(Math.round(milli / 10) / 100) : `${milli}m`
}

const binary = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']

// bytes writes an amount of memory with at most one digit behind the point.
export function bytes(n: number): string {
  let unit = 0
  while (Math.abs(n) >= 1024 && unit < binary.length - 1) {
    n /= 1024
    unit++
  }
  return `${Math.round(n * 10) / 10}${binary[unit] ?? ''}`
}

// amount writes an amount of the named resource.
export function amount(resource: string, n: number): string {
  if (resource === 'cpu') return cpu(n)
  if (resource === 'memory') return bytes(n)
  return String(n)
}

// count writes a number of things.
export function count(n: number): string {
  return n.toLocaleString('en-US')
}

// thousandths writes a share of all capacity as per cent.
export function thousandths(n: number): string {
  return `${(n / 10).toFixed(1).replace(/\.0$/, '')} %`
}

// price writes millionths of the fleet's currency in full: half a cent more of each core-hour is much.
export const price = (millionths: number) => String(millionths / 1e6)

// money writes millionths of the fleet's currency.
export function money(millionths: number): string {
  return (millionths / 1e6).toFixed(millionths !== 0 && Math.abs(millionths) < 10_000 ? 4 : 2)
}
