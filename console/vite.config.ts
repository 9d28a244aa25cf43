import { defineConfig } from 'vite';

/** Where `npm run dev` finds a service. */
const SERVICE = 'http://127.0.0.1:8080';

export default defineConfig({
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: '../tocsin/service/console/static',
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: { fileName: 'licenses.md' },
    chunkSizeWarningLimit: 900,
  },
  server: { proxy: { '/v1': SERVICE, '/readyz': SERVICE, '/metrics': SERVICE } },
});
