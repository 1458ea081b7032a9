# The dashboard as a server: docs/how-to/hosting.md says how to build, start and open it.
FROM python:3.11-slim-bookworm

# What wheels of numba, polars and scipy load from the system; what draws figures for papers, in the type of journals.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends libstdc++6 zlib1g chromium fonts-liberation \
 && rm -rf /var/lib/apt/lists/*

RUN useradd --create-home --uid 1000 fairviz
WORKDIR /home/fairviz/app

# Before the code: a change of the code installs nothing again.
COPY requirements.txt ./
RUN pip install --no-cache-dir --disable-pip-version-check --require-hashes -r requirements.txt

COPY --chown=fairviz .streamlit/config.toml .streamlit/
COPY --chown=fairviz LICENSE app.py asgi.py ./
COPY --chown=fairviz data data
COPY --chown=fairviz fairviz fairviz
COPY --chown=fairviz pages pages
RUN chown fairviz . .streamlit

USER fairviz

# Kernels are compiled once, here, by a report of the example, for any processor of the platform: a server may run on another than built the image.
ENV NUMBA_CPU_NAME=generic
RUN python -m fairviz report data/demo/bm25.run data/demo/samples.alpha-2.run.gz --qrels data/demo/usefulness.qrels \
    --groups data/demo/providers.tsv -k 5 --output /dev/null

# Whatever is started with -e NAME=VALUE comes before these.
ENV FAIRVIZ_ADDRESS=0.0.0.0 PORT=8501 HEADLESS=1 PYTHONUNBUFFERED=1
EXPOSE 8501

HEALTHCHECK --interval=30s --timeout=10s --start-period=60s CMD ["python", "-c", "import os, urllib.request as u; e = os.environ; at = ['http://127.0.0.1:' + e.get('PORT', '8501'), e.get('FAIRVIZ_BASE_PATH', '').strip('/'), '_stcore/health']; u.build_opener(u.ProxyHandler({})).open('/'.join(filter(None, at)), timeout=5)"]

CMD ["python", "-m", "fairviz", "app"]
