# A small image of the server: docker build -t parlour . && docker run -p 8080:8080 -v parlour:/var/lib/parlour parlour
FROM python:3.11-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY pyproject.toml setup.py MANIFEST.in README.md LICENSE ./
COPY tools/declarations.py tools/
COPY src ./src
RUN python -m venv /opt/parlour && /opt/parlour/bin/pip install --no-cache-dir ".[postgres]"
# Without compiled kernels the server would work, but slowly: such an image is not built.
RUN /opt/parlour/bin/python -c "from parlour.core.kernels import all_compiled; assert all_compiled(), 'a kernel was not compiled'"

FROM python:3.11-slim
RUN useradd --system --create-home --home-dir /var/lib/parlour parlour
COPY --from=build /opt/parlour /opt/parlour
ENV PATH=/opt/parlour/bin:$PATH PYTHONUNBUFFERED=1 PARLOUR_STORE=/var/lib/parlour/parlour.db PARLOUR_LOG=json
USER parlour
WORKDIR /var/lib/parlour
VOLUME /var/lib/parlour
EXPOSE 8080 45678
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s \
  CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8080/api/v1/ready', timeout=4)"]
ENTRYPOINT ["parlour"]
CMD ["serve", "--host", "0.0.0.0"]
