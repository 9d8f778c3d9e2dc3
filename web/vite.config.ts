import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { licences } from './build/licences.ts'

// The server that "npm run dev" asks: a `reconciler ui` on this machine.
const server = 'http://127.0.0.1:8421'

export default defineConfig({
  plugins: [react(), licences()],
  server: { proxy: { '/api': { target: server, changeOrigin: true } } },
  experimental: {
    // Scripts and styles find each other wherever they are served, so that an export works below any path.
    renderBuiltUrl: (_, { hostType }) => (hostType === 'html' ? undefined : { relative: true }),
  },
  build: {
    target: 'es2022',
    assetsInlineLimit: 0, // what is in a file of its own needs no exception in the content security policy
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 2000,
  },
})
